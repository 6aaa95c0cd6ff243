//! The mode of the body, which is most of a page, and what comes behind it.

use super::*;

const HEADINGS: [TagName; 6] = [tag::H1, tag::H2, tag::H3, tag::H4, tag::H5, tag::H6];

impl TreeBuilder<'_> {
    #[inline]
    pub(super) fn in_body(&mut self, token: Token) -> Flow {
        match token {
            Token::Text(text) => {
                self.reconstruct_formatting();
                self.insert_text(text);
                if self.frameset_ok && !self.is_blank(text) {
                    self.frameset_ok = false;
                }
                Flow::Done
            }
            Token::Start(start) => self.in_body_start(start),
            Token::End(end) => self.in_body_end(end),
            Token::Comment(text) => self.insert_comment(text),
            Token::Null(_) => Flow::Done,
            Token::Doctype(_) => self.unexpected(token),
            Token::Eof if !self.template_modes.is_empty() => self.in_template(token),
            Token::Eof => self.stop(),
        }
    }

    /// The end of the file: elements that need an end tag are noted.
    fn stop(&mut self) -> Flow {
        let last = self.open.iter().last();
        if last.is_some_and(|slot| !slot.name.is_in(class::OPEN_AT_END)) {
            self.unexpected(Token::Eof);
        }
        Flow::Done
    }

    fn in_body_start(&mut self, start: Tag) -> Flow {
        let token = Token::Start(start);
        match start.name {
            tag::A => self.start_a(start),
            tag::ADDRESS
            | tag::ARTICLE
            | tag::ASIDE
            | tag::BLOCKQUOTE
            | tag::CENTER
            | tag::DETAILS
            | tag::DIALOG
            | tag::DIR
            | tag::DIV
            | tag::DL
            | tag::FIELDSET
            | tag::FIGCAPTION
            | tag::FIGURE
            | tag::FOOTER
            | tag::HEADER
            | tag::HGROUP
            | tag::MAIN
            | tag::MENU
            | tag::NAV
            | tag::OL
            | tag::P
            | tag::SEARCH
            | tag::SECTION
            | tag::SUMMARY
            | tag::UL => {
                self.close_p_in_button_scope();
                self.insert(start);
                self.check_self_closing(start);
                return Flow::Done;
            }
            tag::LI => self.start_item(start, &[tag::LI]),
            tag::DD | tag::DT => self.start_item(start, &[tag::DD, tag::DT]),
            tag::B
            | tag::BIG
            | tag::CODE
            | tag::EM
            | tag::FONT
            | tag::I
            | tag::S
            | tag::SMALL
            | tag::STRIKE
            | tag::STRONG
            | tag::TT
            | tag::U => {
                self.reconstruct_formatting();
                self.insert_formatting(start);
            }
            tag::HTML => self.merge_html(start),
            tag::BASE
            | tag::BASEFONT
            | tag::BGSOUND
            | tag::LINK
            | tag::META
            | tag::NOFRAMES
            | tag::SCRIPT
            | tag::STYLE
            | tag::TEMPLATE
            | tag::TITLE => return self.in_head_start(start),
            tag::BODY => self.merge_body(start),
            tag::FRAMESET => return self.replace_body_by_frameset(start),
            tag::H1 | tag::H2 | tag::H3 | tag::H4 | tag::H5 | tag::H6 => {
                self.close_p_in_button_scope();
                if self.open.current().name.is_any(&HEADINGS) {
                    self.unexpected(token);
                    self.pop();
                }
                self.insert(start);
            }
            tag::PRE | tag::LISTING => {
                self.close_p_in_button_scope();
                self.insert(start);
                self.skip_newline = true;
                self.frameset_ok = false;
            }
            tag::FORM => self.start_form(start),
            tag::PLAINTEXT => {
                self.close_p_in_button_scope();
                self.insert(start);
                self.tokenizer.set_content(Content::PlainText);
            }
            tag::BUTTON => {
                if self.open.has_in_scope(tag::BUTTON) {
                    self.unexpected(token);
                    self.generate_implied_end_tags(None);
                    self.pop_to(tag::BUTTON, None);
                }
                self.reconstruct_formatting();
                self.insert(start);
                self.frameset_ok = false;
            }
            tag::NOBR => {
                self.reconstruct_formatting();
                if self.open.has_in_scope(tag::NOBR) {
                    self.unexpected(token);
                    self.adopt(start);
                    self.reconstruct_formatting();
                }
                self.insert_formatting(start);
            }
            tag::APPLET | tag::MARQUEE | tag::OBJECT => {
                self.reconstruct_formatting();
                self.insert(start);
                self.formatting.push_marker();
                self.frameset_ok = false;
            }
            tag::TABLE => {
                if !self.quirks {
                    self.close_p_in_button_scope();
                }
                self.insert(start);
                self.frameset_ok = false;
                self.mode = Mode::InTable;
            }
            tag::AREA | tag::BR | tag::EMBED | tag::IMG | tag::KEYGEN | tag::WBR => {
                self.reconstruct_formatting();
                self.frameset_ok = false;
                return self.insert_void(start);
            }
            tag::INPUT => return self.start_input(start),
            tag::PARAM | tag::SOURCE | tag::TRACK => return self.insert_void(start),
            tag::HR => return self.start_rule(start),
            tag::IMAGE => {
                self.unexpected(token);
                return Flow::Again(Token::Start(Tag { name: tag::IMG, ..start }));
            }
            tag::TEXTAREA => {
                self.skip_newline = true;
                self.frameset_ok = false;
                return self.insert_raw(start, Content::Rcdata(start.name));
            }
            tag::XMP => {
                self.close_p_in_button_scope();
                self.reconstruct_formatting();
                self.frameset_ok = false;
                return self.insert_raw(start, Content::RawText(start.name));
            }
            tag::IFRAME => {
                self.frameset_ok = false;
                return self.insert_raw(start, Content::RawText(start.name));
            }
            tag::NOEMBED => return self.insert_raw(start, Content::RawText(start.name)),
            tag::SELECT => self.start_select(start),
            tag::OPTION | tag::OPTGROUP => self.start_option(start),
            tag::RB | tag::RTC => self.start_ruby(start, None),
            tag::RP | tag::RT => self.start_ruby(start, Some(tag::RTC)),
            tag::MATH | tag::SVG => {
                self.reconstruct_formatting();
                let namespace = if start.name == tag::SVG { Namespace::Svg } else { Namespace::MathMl };
                return self.start_foreign(start, namespace);
            }
            tag::CAPTION
            | tag::COL
            | tag::COLGROUP
            | tag::FRAME
            | tag::HEAD
            | tag::TBODY
            | tag::TD
            | tag::TFOOT
            | tag::TH
            | tag::THEAD
            | tag::TR => return self.unexpected(token),
            _ => {
                self.reconstruct_formatting();
                self.insert(start);
            }
        }
        self.check_self_closing(start);
        Flow::Done
    }

    fn start_a(&mut self, start: Tag) {
        if let Some(place) = self.formatting.last(tag::A) {
            self.unexpected(Token::Start(start));
            let earlier = self.formatting.get(place).node;
            self.adopt(start);
            if let Some(place) = self.formatting.place_of(earlier, tag::A) {
                self.formatting.remove_at(place);
            }
            self.open.remove(&mut self.arena, earlier);
        }
        self.reconstruct_formatting();
        self.insert_formatting(start);
    }

    fn merge_html(&mut self, start: Tag) {
        self.unexpected(Token::Start(start));
        if !self.open.contains(tag::TEMPLATE)
            && let Some(root) = self.open.root()
        {
            self.add_attributes(root);
        }
    }

    fn merge_body(&mut self, start: Tag) {
        self.unexpected(Token::Start(start));
        if !self.open.contains(tag::TEMPLATE)
            && let Some(body) = self.open.body()
        {
            self.frameset_ok = false;
            self.add_attributes(body);
        }
    }

    fn replace_body_by_frameset(&mut self, start: Tag) -> Flow {
        self.unexpected(Token::Start(start));
        let Some(body) = self.open.body().filter(|_| self.frameset_ok) else { return Flow::Done };
        self.arena.detach(body);
        while self.open.depth() > 1 {
            self.pop();
        }
        self.insert(start);
        self.mode = Mode::InFrameset;
        Flow::Done
    }

    /// A list item ends the one before it, unless a list or the like is open between.
    fn start_item(&mut self, start: Tag, tags: &[TagName]) {
        self.frameset_ok = false;
        let before = tags.iter().filter_map(|&tag| self.open.last(tag)).max();
        if let Some(place) = before.filter(|&place| self.open.is_within(place, class::ITEM_STOP)) {
            let name = self.open.get(place).name.tag();
            self.generate_implied_end_tags(Some(name));
            self.expect_current(name);
            self.pop_to_place(place, None);
        }
        self.close_p_in_button_scope();
        self.insert(start);
    }

    fn start_form(&mut self, start: Tag) {
        let in_template = self.open.contains(tag::TEMPLATE);
        if self.form != NONE && !in_template {
            self.unexpected(Token::Start(start));
            return;
        }
        self.close_p_in_button_scope();
        let form = self.insert(start);
        if !in_template {
            self.form = form;
        }
    }

    fn start_input(&mut self, start: Tag) -> Flow {
        if self.open.has_in_scope(tag::SELECT) {
            self.unexpected(Token::Start(start));
            self.pop_to(tag::SELECT, None);
        }
        self.reconstruct_formatting();
        if !self.is_hidden_input() {
            self.frameset_ok = false;
        }
        self.insert_void(start)
    }

    /// Whether the tag at hand says `type=hidden`.
    pub(super) fn is_hidden_input(&self) -> bool {
        self.attribute("type").is_some_and(|value| value.eq_ignore_ascii_case("hidden"))
    }

    fn start_rule(&mut self, start: Tag) -> Flow {
        self.close_p_in_button_scope();
        if self.open.has_in_scope(tag::SELECT) {
            self.generate_implied_end_tags(None);
            if self.open.has_any_in_scope(&[tag::OPTION, tag::OPTGROUP]) {
                self.unexpected(Token::Start(start));
            }
        }
        self.frameset_ok = false;
        self.insert_void(start)
    }

    fn start_select(&mut self, start: Tag) {
        if self.open.has_in_scope(tag::SELECT) {
            self.unexpected(Token::Start(start));
            self.pop_to(tag::SELECT, None);
            return;
        }
        self.reconstruct_formatting();
        self.insert(start);
        self.frameset_ok = false;
    }

    fn start_option(&mut self, start: Tag) {
        let is_option = start.name == tag::OPTION;
        if self.open.has_in_scope(tag::SELECT) {
            self.generate_implied_end_tags(is_option.then_some(tag::OPTGROUP));
            if self.open.has_in_scope(tag::OPTION) || !is_option && self.open.has_in_scope(tag::OPTGROUP) {
                self.unexpected(Token::Start(start));
            }
        } else if self.open.current().name.is(tag::OPTION) {
            self.pop();
        }
        self.reconstruct_formatting();
        self.insert(start);
    }

    fn start_ruby(&mut self, start: Tag, except: Option<TagName>) {
        if self.open.has_in_scope(tag::RUBY) {
            self.generate_implied_end_tags(except);
            let name = self.open.current().name;
            if !name.is(tag::RUBY) && !except.is_some_and(|tag| name.is(tag)) {
                self.unexpected(Token::Start(start));
            }
        }
        self.insert(start);
    }

    #[inline(always)]
    fn close_p_in_button_scope(&mut self) {
        if self.open.has_within(tag::P, class::BUTTON_SCOPE) {
            self.close_p(None);
        }
    }

    fn close_p(&mut self, end: Option<Tag>) {
        self.generate_implied_end_tags(Some(tag::P));
        self.expect_current(tag::P);
        self.pop_to(tag::P, end);
    }

    fn in_body_end(&mut self, end: Tag) -> Flow {
        let token = Token::End(end);
        match end.name {
            tag::A
            | tag::B
            | tag::BIG
            | tag::CODE
            | tag::EM
            | tag::FONT
            | tag::I
            | tag::NOBR
            | tag::S
            | tag::SMALL
            | tag::STRIKE
            | tag::STRONG
            | tag::TT
            | tag::U => self.adopt(end),
            tag::P => {
                if !self.open.has_within(tag::P, class::BUTTON_SCOPE) {
                    self.unexpected(token);
                    self.insert_implied(tag::P);
                }
                self.close_p(Some(end));
            }
            tag::ADDRESS
            | tag::ARTICLE
            | tag::ASIDE
            | tag::BLOCKQUOTE
            | tag::BUTTON
            | tag::CENTER
            | tag::DETAILS
            | tag::DIALOG
            | tag::DIR
            | tag::DIV
            | tag::DL
            | tag::FIELDSET
            | tag::FIGCAPTION
            | tag::FIGURE
            | tag::FOOTER
            | tag::HEADER
            | tag::HGROUP
            | tag::LISTING
            | tag::MAIN
            | tag::MENU
            | tag::NAV
            | tag::OL
            | tag::PRE
            | tag::SEARCH
            | tag::SECTION
            | tag::SELECT
            | tag::SUMMARY
            | tag::UL => self.end_block(end, class::SCOPE),
            tag::DD | tag::DT => self.end_block(end, class::SCOPE),
            tag::LI => self.end_block(end, class::LIST_SCOPE),
            tag::TEMPLATE => return self.end_template(end),
            tag::BODY => return self.end_body(end),
            tag::HTML => {
                if self.open.has_in_scope(tag::BODY) {
                    self.end_body(Tag { end: end.start, ..end });
                    return Flow::Again(token);
                }
                self.unexpected(token);
            }
            tag::FORM => self.end_form(end),
            tag::H1 | tag::H2 | tag::H3 | tag::H4 | tag::H5 | tag::H6 => self.end_heading(end),
            tag::APPLET | tag::MARQUEE | tag::OBJECT => {
                if !self.open.has_in_scope(end.name) {
                    return self.unexpected(token);
                }
                self.end_block(end, class::SCOPE);
                self.formatting.clear_to_marker();
            }
            tag::BR => {
                self.unexpected(token);
                self.reconstruct_formatting();
                self.insert_implied(tag::BR);
                self.pop();
                self.frameset_ok = false;
            }
            _ => self.end_other(end),
        }
        Flow::Done
    }

    /// The end tag of an element that stands for itself within a scope.
    fn end_block(&mut self, end: Tag, scope: u16) {
        if !self.open.has_within(end.name, scope) {
            self.unexpected(Token::End(end));
            return;
        }
        let is_own_kind = ElementName::html(end.name).is_in(class::IMPLIED_END);
        self.generate_implied_end_tags(is_own_kind.then_some(end.name));
        self.expect_current(end.name);
        self.pop_to(end.name, Some(end));
    }

    fn end_body(&mut self, end: Tag) -> Flow {
        if !self.open.has_in_scope(tag::BODY) {
            return self.unexpected(Token::End(end));
        }
        if !self.open.current().name.is_in(class::OPEN_AT_END) {
            self.problem(Problem::UnclosedElement(end.name));
        }
        if let Some(body) = self.open.body().filter(|_| end.name == tag::BODY) {
            self.close(body, end);
        }
        self.mode = Mode::AfterBody;
        Flow::Done
    }

    fn end_form(&mut self, end: Tag) {
        if self.open.contains(tag::TEMPLATE) {
            return self.end_block(end, class::SCOPE);
        }
        let form = std::mem::replace(&mut self.form, NONE);
        let place = if form == NONE { NONE } else { self.arena.element(form).place };
        if place == NONE || !self.open.is_within(place, class::SCOPE) {
            self.unexpected(Token::End(end));
            return;
        }
        self.generate_implied_end_tags(None);
        self.expect_current(tag::FORM);
        self.close(form, end);
        self.open.remove(&mut self.arena, form);
    }

    fn end_heading(&mut self, end: Tag) {
        let innermost = HEADINGS.iter().filter_map(|&tag| self.open.last(tag)).max();
        let Some(place) = innermost.filter(|&place| self.open.is_within(place, class::SCOPE)) else {
            self.unexpected(Token::End(end));
            return;
        };
        self.generate_implied_end_tags(None);
        self.expect_current(end.name);
        self.pop_to_place(place, Some(end));
    }

    /// Any other end tag closes its element where nothing special is open in it.
    pub(super) fn end_other(&mut self, end: Tag) {
        let place = self.open.last(end.name);
        let Some(place) = place.filter(|&place| self.open.is_within(place, class::SPECIAL)) else {
            self.unexpected(Token::End(end));
            return;
        };
        self.generate_implied_end_tags(Some(end.name));
        self.expect_current(end.name);
        self.pop_to_place(place, Some(end));
    }

    pub(super) fn after_body(&mut self, token: Token) -> Flow {
        match token {
            Token::Text(text) if self.is_blank(text) => self.in_body(token),
            Token::Comment(text) => {
                let root = self.open.root().unwrap_or(Arena::DOCUMENT);
                self.insert_comment_in(text, root)
            }
            Token::Doctype(_) => self.unexpected(token),
            Token::Start(start) if start.name == tag::HTML => self.in_body(token),
            Token::End(end) if end.name == tag::HTML => {
                if let Some(root) = self.open.root() {
                    self.close(root, end);
                }
                self.mode = Mode::AfterAfterBody;
                Flow::Done
            }
            Token::Eof => self.stop(),
            _ => self.back_to_body(token),
        }
    }

    fn back_to_body(&mut self, token: Token) -> Flow {
        if let Some((Some(blank), Some(rest))) = self.split_blank(token) {
            self.in_body(Token::Text(blank));
            return Flow::Again(Token::Text(rest));
        }
        self.unexpected(token);
        self.again(Mode::InBody, token)
    }

    pub(super) fn after_after_body(&mut self, token: Token) -> Flow {
        match token {
            Token::Comment(text) => self.insert_comment_in(text, Arena::DOCUMENT),
            Token::Doctype(_) => self.unexpected(token),
            Token::Text(text) if self.is_blank(text) => self.in_body(token),
            Token::Start(start) if start.name == tag::HTML => self.in_body(token),
            Token::Eof => self.stop(),
            _ => self.back_to_body(token),
        }
    }
}
