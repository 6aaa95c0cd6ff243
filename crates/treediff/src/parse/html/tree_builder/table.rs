//! The modes of tables: what belongs to rows and cells, and what is put before the table instead.

use super::*;

const CELLS: [TagName; 2] = [tag::TD, tag::TH];
const ROW_GROUPS: [TagName; 3] = [tag::TBODY, tag::TFOOT, tag::THEAD];

impl TreeBuilder<'_> {
    pub(super) fn in_table(&mut self, token: Token) -> Flow {
        match token {
            Token::Text(_) | Token::Null(_) => self.start_table_text(token),
            Token::Comment(text) => self.insert_comment(text),
            Token::Doctype(_) => self.unexpected(token),
            Token::Start(start) => self.in_table_start(start),
            Token::End(end) => match end.name {
                tag::TABLE => self.end_table(end),
                tag::BODY
                | tag::CAPTION
                | tag::COL
                | tag::COLGROUP
                | tag::HTML
                | tag::TBODY
                | tag::TD
                | tag::TFOOT
                | tag::TH
                | tag::THEAD
                | tag::TR => self.unexpected(token),
                tag::TEMPLATE => self.end_template(end),
                _ => self.foster(token),
            },
            Token::Eof => self.in_body(token),
        }
    }

    fn start_table_text(&mut self, token: Token) -> Flow {
        const TEXT_PARENTS: [TagName; 6] = [tag::TABLE, tag::TBODY, tag::TEMPLATE, tag::TFOOT, tag::THEAD, tag::TR];
        if !self.open.current().name.is_any(&TEXT_PARENTS) {
            return self.foster(token);
        }
        self.table_text.clear();
        self.original_mode = self.mode;
        self.again(Mode::InTableText, token)
    }

    fn in_table_start(&mut self, start: Tag) -> Flow {
        let token = Token::Start(start);
        match start.name {
            tag::CAPTION => {
                self.clear_to_table();
                self.formatting.push_marker();
                self.insert(start);
                self.mode = Mode::InCaption;
            }
            tag::COLGROUP => {
                self.clear_to_table();
                self.insert(start);
                self.mode = Mode::InColumnGroup;
            }
            tag::COL => {
                self.clear_to_table();
                self.insert_implied(tag::COLGROUP);
                return self.again(Mode::InColumnGroup, token);
            }
            tag::TBODY | tag::TFOOT | tag::THEAD => {
                self.clear_to_table();
                self.insert(start);
                self.mode = Mode::InTableBody;
            }
            tag::TD | tag::TH | tag::TR => {
                self.clear_to_table();
                self.insert_implied(tag::TBODY);
                return self.again(Mode::InTableBody, token);
            }
            tag::TABLE => {
                self.unexpected(token);
                if self.open.has_in_table_scope(tag::TABLE) {
                    self.pop_to(tag::TABLE, None);
                    self.reset_mode();
                    return Flow::Again(token);
                }
            }
            tag::STYLE | tag::SCRIPT | tag::TEMPLATE => return self.in_head_start(start),
            tag::INPUT if self.is_hidden_input() => {
                self.unexpected(token);
                return self.insert_void(start);
            }
            tag::FORM => {
                self.unexpected(token);
                if self.form == NONE && !self.open.contains(tag::TEMPLATE) {
                    self.form = self.insert(start);
                    self.pop();
                }
            }
            _ => return self.foster(token),
        }
        Flow::Done
    }

    fn clear_to_table(&mut self) {
        self.clear_to(&[tag::TABLE, tag::TEMPLATE, tag::HTML]);
    }

    fn end_table(&mut self, end: Tag) -> Flow {
        if !self.open.has_in_table_scope(tag::TABLE) {
            return self.unexpected(Token::End(end));
        }
        self.pop_to(tag::TABLE, Some(end));
        self.reset_mode();
        Flow::Done
    }

    /// What does not belong in a table goes before it, by the rules of the body.
    fn foster(&mut self, token: Token) -> Flow {
        self.unexpected(token);
        self.foster_parenting = true;
        let flow = self.in_body(token);
        self.foster_parenting = false;
        flow
    }

    pub(super) fn in_table_text(&mut self, token: Token) -> Flow {
        match token {
            Token::Text(text) => self.table_text.push(text),
            Token::Null(_) => {}
            _ => {
                self.insert_table_text();
                return self.again(self.original_mode, token);
            }
        }
        Flow::Done
    }

    /// White space stays in the table; as soon as there is anything else, all of it goes before the table.
    fn insert_table_text(&mut self) {
        let texts = std::mem::take(&mut self.table_text);
        let is_blank = texts.iter().all(|&text| self.is_blank(text));
        for &text in &texts {
            if is_blank {
                self.insert_text(text);
            } else {
                self.foster(Token::Text(text));
            }
        }
        self.table_text = texts;
    }

    pub(super) fn in_caption(&mut self, token: Token) -> Flow {
        match token {
            Token::End(end) if end.name == tag::CAPTION => {
                self.end_caption(Some(end));
                Flow::Done
            }
            Token::Start(Tag {
                name:
                    tag::CAPTION
                    | tag::COL
                    | tag::COLGROUP
                    | tag::TBODY
                    | tag::TD
                    | tag::TFOOT
                    | tag::TH
                    | tag::THEAD
                    | tag::TR,
                ..
            })
            | Token::End(Tag { name: tag::TABLE, .. }) => {
                if self.end_caption(None) {
                    Flow::Again(token)
                } else {
                    Flow::Done
                }
            }
            Token::End(Tag {
                name:
                    tag::BODY
                    | tag::COL
                    | tag::COLGROUP
                    | tag::HTML
                    | tag::TBODY
                    | tag::TD
                    | tag::TFOOT
                    | tag::TH
                    | tag::THEAD
                    | tag::TR,
                ..
            }) => self.unexpected(token),
            _ => self.in_body(token),
        }
    }

    /// Closes the caption; says whether there was one.
    fn end_caption(&mut self, end: Option<Tag>) -> bool {
        if !self.open.has_in_table_scope(tag::CAPTION) {
            self.problem(Problem::UnexpectedEndTag(tag::CAPTION));
            return false;
        }
        self.generate_implied_end_tags(None);
        self.expect_current(tag::CAPTION);
        self.pop_to(tag::CAPTION, end);
        self.formatting.clear_to_marker();
        self.mode = Mode::InTable;
        true
    }

    pub(super) fn in_column_group(&mut self, token: Token) -> Flow {
        if let Some((blank, rest)) = self.split_blank(token) {
            if let Some(blank) = blank {
                self.insert_text(blank);
            }
            let Some(rest) = rest else { return Flow::Done };
            return self.leave_column_group(Token::Text(rest));
        }
        match token {
            Token::Comment(text) => self.insert_comment(text),
            Token::Doctype(_) => self.unexpected(token),
            Token::Start(start) => match start.name {
                tag::HTML => self.in_body(token),
                tag::COL => self.insert_void(start),
                tag::TEMPLATE => self.in_head_start(start),
                _ => self.leave_column_group(token),
            },
            Token::End(end) => match end.name {
                tag::COLGROUP => self.end_column_group(end),
                tag::COL => self.unexpected(token),
                tag::TEMPLATE => self.end_template(end),
                _ => self.leave_column_group(token),
            },
            Token::Eof => self.in_body(token),
            Token::Text(_) | Token::Null(_) => self.leave_column_group(token),
        }
    }

    fn end_column_group(&mut self, end: Tag) -> Flow {
        if !self.open.current().name.is(tag::COLGROUP) {
            return self.unexpected(Token::End(end));
        }
        let group = self.pop();
        self.close(group, end);
        self.mode = Mode::InTable;
        Flow::Done
    }

    fn leave_column_group(&mut self, token: Token) -> Flow {
        if !self.open.current().name.is(tag::COLGROUP) {
            return match token {
                Token::Text(text) => self.insert_blanks(text),
                _ => self.unexpected(token),
            };
        }
        self.pop();
        self.again(Mode::InTable, token)
    }

    pub(super) fn in_table_body(&mut self, token: Token) -> Flow {
        match token {
            Token::Start(start) => match start.name {
                tag::TR => {
                    self.clear_to_row_group();
                    self.insert(start);
                    self.mode = Mode::InRow;
                    Flow::Done
                }
                tag::TH | tag::TD => {
                    self.unexpected(token);
                    self.clear_to_row_group();
                    self.insert_implied(tag::TR);
                    self.again(Mode::InRow, token)
                }
                tag::CAPTION | tag::COL | tag::COLGROUP | tag::TBODY | tag::TFOOT | tag::THEAD => {
                    self.leave_row_group(token)
                }
                _ => self.in_table(token),
            },
            Token::End(end) => match end.name {
                tag::TBODY | tag::TFOOT | tag::THEAD => {
                    if !self.open.has_in_table_scope(end.name) {
                        return self.unexpected(token);
                    }
                    self.clear_to_row_group();
                    let group = self.pop();
                    self.close(group, end);
                    self.mode = Mode::InTable;
                    Flow::Done
                }
                tag::TABLE => self.leave_row_group(token),
                tag::BODY | tag::CAPTION | tag::COL | tag::COLGROUP | tag::HTML | tag::TD | tag::TH | tag::TR => {
                    self.unexpected(token)
                }
                _ => self.in_table(token),
            },
            _ => self.in_table(token),
        }
    }

    fn clear_to_row_group(&mut self) {
        self.clear_to(&[tag::TBODY, tag::TFOOT, tag::THEAD, tag::TEMPLATE, tag::HTML]);
    }

    fn leave_row_group(&mut self, token: Token) -> Flow {
        if !ROW_GROUPS.iter().any(|&group| self.open.has_in_table_scope(group)) {
            return self.unexpected(token);
        }
        self.clear_to_row_group();
        self.pop();
        self.again(Mode::InTable, token)
    }

    pub(super) fn in_row(&mut self, token: Token) -> Flow {
        match token {
            Token::Start(start) => match start.name {
                tag::TH | tag::TD => {
                    self.clear_to_row();
                    self.insert(start);
                    self.mode = Mode::InCell;
                    self.formatting.push_marker();
                    Flow::Done
                }
                tag::CAPTION | tag::COL | tag::COLGROUP | tag::TBODY | tag::TFOOT | tag::THEAD | tag::TR => {
                    self.leave_row(token)
                }
                _ => self.in_table(token),
            },
            Token::End(end) => match end.name {
                tag::TR => {
                    if !self.open.has_in_table_scope(tag::TR) {
                        return self.unexpected(token);
                    }
                    self.clear_to_row();
                    let row = self.pop();
                    self.close(row, end);
                    self.mode = Mode::InTableBody;
                    Flow::Done
                }
                tag::TABLE => self.leave_row(token),
                tag::TBODY | tag::TFOOT | tag::THEAD => {
                    if !self.open.has_in_table_scope(end.name) {
                        return self.unexpected(token);
                    }
                    if self.open.has_in_table_scope(tag::TR) { self.leave_row(token) } else { Flow::Done }
                }
                tag::BODY | tag::CAPTION | tag::COL | tag::COLGROUP | tag::HTML | tag::TD | tag::TH => {
                    self.unexpected(token)
                }
                _ => self.in_table(token),
            },
            _ => self.in_table(token),
        }
    }

    fn clear_to_row(&mut self) {
        self.clear_to(&[tag::TR, tag::TEMPLATE, tag::HTML]);
    }

    fn leave_row(&mut self, token: Token) -> Flow {
        if !self.open.has_in_table_scope(tag::TR) {
            return self.unexpected(token);
        }
        self.clear_to_row();
        self.pop();
        self.again(Mode::InTableBody, token)
    }

    pub(super) fn in_cell(&mut self, token: Token) -> Flow {
        match token {
            Token::Start(start) => match start.name {
                tag::CAPTION
                | tag::COL
                | tag::COLGROUP
                | tag::TBODY
                | tag::TD
                | tag::TFOOT
                | tag::TH
                | tag::THEAD
                | tag::TR => {
                    if !CELLS.iter().any(|&cell| self.open.has_in_table_scope(cell)) {
                        return self.unexpected(token);
                    }
                    self.close_cell();
                    Flow::Again(token)
                }
                _ => self.in_body(token),
            },
            Token::End(end) => match end.name {
                tag::TD | tag::TH => self.end_cell(end),
                tag::BODY | tag::CAPTION | tag::COL | tag::COLGROUP | tag::HTML => self.unexpected(token),
                tag::TABLE | tag::TBODY | tag::TFOOT | tag::THEAD | tag::TR => {
                    if !self.open.has_in_table_scope(end.name) {
                        return self.unexpected(token);
                    }
                    self.close_cell();
                    Flow::Again(token)
                }
                _ => self.in_body(token),
            },
            _ => self.in_body(token),
        }
    }

    fn end_cell(&mut self, end: Tag) -> Flow {
        if !self.open.has_in_table_scope(end.name) {
            return self.unexpected(Token::End(end));
        }
        self.generate_implied_end_tags(None);
        self.expect_current(end.name);
        self.pop_to(end.name, Some(end));
        self.formatting.clear_to_marker();
        self.mode = Mode::InRow;
        Flow::Done
    }

    fn close_cell(&mut self) {
        self.generate_implied_end_tags(None);
        if let Some(place) = CELLS.iter().filter_map(|&cell| self.open.last(cell)).max() {
            self.expect_current(self.open.get(place).name.tag());
            self.pop_to_place(place, None);
        }
        self.formatting.clear_to_marker();
        self.mode = Mode::InRow;
    }

    pub(super) fn in_template(&mut self, token: Token) -> Flow {
        match token {
            Token::Text(_) | Token::Null(_) | Token::Comment(_) | Token::Doctype(_) => self.in_body(token),
            Token::Start(start) => match start.name {
                tag::BASE
                | tag::BASEFONT
                | tag::BGSOUND
                | tag::LINK
                | tag::META
                | tag::NOFRAMES
                | tag::SCRIPT
                | tag::STYLE
                | tag::TEMPLATE
                | tag::TITLE => self.in_head_start(start),
                tag::CAPTION | tag::COLGROUP | tag::TBODY | tag::TFOOT | tag::THEAD => {
                    self.template_as(Mode::InTable, token)
                }
                tag::COL => self.template_as(Mode::InColumnGroup, token),
                tag::TR => self.template_as(Mode::InTableBody, token),
                tag::TD | tag::TH => self.template_as(Mode::InRow, token),
                _ => self.template_as(Mode::InBody, token),
            },
            Token::End(end) if end.name == tag::TEMPLATE => self.end_template(end),
            Token::End(_) => self.unexpected(token),
            Token::Eof => self.end_in_template(),
        }
    }

    /// The first tag of a template decides what its content is.
    fn template_as(&mut self, mode: Mode, token: Token) -> Flow {
        self.template_modes.pop();
        self.template_modes.push(mode);
        self.again(mode, token)
    }

    fn end_in_template(&mut self) -> Flow {
        if !self.open.contains(tag::TEMPLATE) {
            return Flow::Done;
        }
        self.unexpected(Token::Eof);
        self.pop_to(tag::TEMPLATE, None);
        self.formatting.clear_to_marker();
        self.template_modes.pop();
        self.reset_mode();
        Flow::Again(Token::Eof)
    }
}
