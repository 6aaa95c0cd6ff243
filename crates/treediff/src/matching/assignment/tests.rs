use super::*;
use proptest::prelude::*;

/// Costs as a table; the last column has what the rows cost when free, the last row what the columns do.
fn costs(table: &[&[u32]]) -> Costs {
    let (last, rows) = table.split_last().unwrap();
    let mut costs = Costs::new(rows.len(), last.len());
    for (row, cells) in rows.iter().enumerate() {
        let (free, pairs) = cells.split_last().unwrap();
        pairs.iter().enumerate().for_each(|(column, &cost)| costs.set_pair(row, column, cost));
        costs.set_free_row(row, *free);
    }
    last.iter().enumerate().for_each(|(column, &cost)| costs.set_free_column(column, cost));
    costs
}

const X: u32 = FORBIDDEN;

#[track_caller]
fn check(table: &[&[u32]], expected_exact: &[Option<usize>], expected_local: &[Option<usize>]) {
    let costs = costs(table);
    assert_eq!(exact(&costs), expected_exact);
    assert_eq!(local(&costs), expected_local);
}

#[test]
fn the_second_choice_of_one_makes_room_for_another() {
    check(&[&[1, 4, X, 5], &[2, X, X, 9], &[0, 0, 0]], &[Some(1), Some(0)], &[Some(1), Some(0)]);
}

#[test]
fn what_saves_nothing_stays_free() {
    check(&[&[5, 2], &[3]], &[None], &[None]);
    check(&[&[4, 2], &[3]], &[Some(0)], &[Some(0)]);
    check(&[&[X, 9], &[9]], &[None], &[None]);
}

#[test]
fn more_rows_than_columns_leave_the_dearest_free() {
    check(&[&[3, 5], &[1, 5], &[2, 5], &[0]], &[None, Some(0), None], &[None, Some(0), None]);
}

#[test]
fn nothing_on_a_side_is_nothing_assigned() {
    check(&[&[]], &[], &[]);
    check(&[&[7], &[7], &[]], &[None, None], &[None, None]);
    check(&[&[1, 2]], &[], &[]);
}

#[test]
fn three_in_a_ring_are_beyond_swaps_of_two() {
    // The greedy start is the diagonal; to swap any two of them is dearer, to pass all three on in a ring is not.
    let ring = costs(&[&[90, 90, 100, 100], &[100, 91, 91, 100], &[90, 100, 92, 100], &[0, 0, 0]]);
    assert_eq!(local(&ring), [Some(0), Some(1), Some(2)]);
    assert_eq!(exact(&ring), [Some(1), Some(2), Some(0)]);
    assert_eq!((ring.total(&local(&ring)), ring.total(&exact(&ring))), (273, 271));
}

/// The least total by trying all assignments.
fn least_by_trying(costs: &Costs, row: usize, assigned: &mut Assigned) -> u64 {
    if row == assigned.len() {
        return costs.total(assigned);
    }
    assigned[row] = None;
    let mut least = least_by_trying(costs, row + 1, assigned);
    for column in 0..costs.columns {
        if costs.cells[row * costs.columns + column] != FORBIDDEN && !assigned[..row].contains(&Some(column)) {
            assigned[row] = Some(column);
            least = least.min(least_by_trying(costs, row + 1, assigned));
        }
    }
    assigned[row] = None;
    least
}

/// No column twice, nothing forbidden.
fn is_assignment(costs: &Costs, assigned: &Assigned) -> bool {
    let pairs: Vec<(usize, usize)> =
        assigned.iter().enumerate().filter_map(|(row, column)| Some((row, (*column)?))).collect();
    let mut columns: Vec<usize> = pairs.iter().map(|&(_, column)| column).collect();
    columns.sort_unstable();
    columns.dedup();
    assigned.len() == costs.free_rows.len()
        && columns.len() == pairs.len()
        && pairs.iter().all(|&(row, column)| costs.cells[row * costs.columns + column] != FORBIDDEN)
}

fn some_costs(side: usize) -> impl Strategy<Value = Costs> {
    (0..=side, 0..=side, 1..40u32).prop_flat_map(|(rows, columns, top)| {
        let cell = prop_oneof![5 => 0..top, 1 => Just(FORBIDDEN)];
        let free = |len| prop::collection::vec(0..top, len);
        (prop::collection::vec(cell, rows * columns), free(rows), free(columns))
            .prop_map(move |(cells, free_rows, free_columns)| Costs { columns, cells, free_rows, free_columns })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn nothing_is_cheaper_than_the_exact_one(costs in some_costs(5)) {
        let found = exact(&costs);
        prop_assert!(is_assignment(&costs, &found));
        prop_assert_eq!(costs.total(&found), least_by_trying(&costs, 0, &mut vec![None; costs.free_rows.len()]));
    }

    #[test]
    fn swaps_are_between_the_greedy_and_the_exact_one(costs in some_costs(12)) {
        let [greedy, local, exact] = [greedy(&costs), local(&costs), exact(&costs)];
        prop_assert!(is_assignment(&costs, &local) && is_assignment(&costs, &greedy) && is_assignment(&costs, &exact));
        prop_assert!(costs.total(&exact) <= costs.total(&local));
        prop_assert!(costs.total(&local) <= costs.total(&greedy));
    }
}

#[test]
fn costs_at_the_limit_do_not_overflow() {
    let mut costs = Costs::new(3, 2);
    for row in 0..3 {
        costs.set_free_row(row, u32::MAX);
        (0..2).for_each(|column| costs.set_pair(row, column, FORBIDDEN - 1 - row as u32));
    }
    costs.set_free_column(0, u32::MAX);
    assert_eq!(exact(&costs).iter().flatten().count(), 2);
    assert_eq!(costs.total(&exact(&costs)), costs.total(&local(&costs)));
}
