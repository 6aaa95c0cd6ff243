use super::*;

fn point(time: &str, value: Option<f64>) -> Point {
    Point { time: time.parse().unwrap(), value }
}

#[test]
fn a_plot_is_what_it_was() {
    let points = [
        point("2026-03-01T08:00Z", Some(4.5)),
        point("2026-05-17T08:00Z", Some(4.9)),
        point("2026-06-01T08:00Z", None),
        point("2026-08-10T08:00Z", Some(6.2)),
        point("2026-10-10T08:00Z", Some(5.9)),
    ];
    let plot = Plot {
        title: "//dish[@id = \"soup\"]/price & <tax>",
        subtitle: "https://example.org/menu",
        points: &points,
        end: "2026-11-15T00:00Z".parse().unwrap(),
    };
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/expected/plot.svg");
    if std::env::var_os("UPDATE_EXPECTED").is_some() {
        std::fs::write(&file, plot.to_string()).unwrap();
    }
    assert_eq!(plot.to_string(), std::fs::read_to_string(&file).unwrap());
}

#[test]
fn any_numbers_make_a_picture_that_is_xml() {
    let odd = [f64::NAN, f64::INFINITY, f64::MAX, f64::MIN, 0.0, -0.0, 5e-324, 1e300];
    let times = [Timestamp::MIN, Timestamp::UNIX_EPOCH, Timestamp::MAX];
    for &first in &odd {
        for &second in &odd {
            for time in times {
                let points = [Point { time, value: Some(first) }, Point { time: Timestamp::MAX, value: Some(second) }];
                let plot = Plot { title: "\u{1b}<&\u{ffff}", subtitle: "", points: &points, end: Timestamp::MAX };
                let svg = plot.to_string();
                treediff::parse::xml(svg.as_bytes(), &Default::default())
                    .unwrap_or_else(|error| panic!("{error}: {svg}"));
                assert!(!svg.contains("NaN") && !svg.contains("inf"), "{first} {second} {time}: {svg}");
            }
        }
    }
}

#[test]
fn nothing_is_a_picture_too() {
    let svg = Plot { title: "t", subtitle: "s", points: &[], end: Timestamp::UNIX_EPOCH }.to_string();
    assert!(svg.contains(r#"<path class="line" d=""/>"#), "{svg}");
}
