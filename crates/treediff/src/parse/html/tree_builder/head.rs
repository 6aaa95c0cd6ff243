//! The modes from the start of the page to the start of its body, and of text that is no markup.

use super::*;
use crate::parse::html::sniff::{charset_in, meant_by_meta};

/// Whether `noscript` is read as text, as browsers that run scripts do. Here nothing runs, so its content is markup.
const SCRIPTING: bool = false;

impl TreeBuilder<'_> {
    pub(super) fn initial(&mut self, token: Token) -> Flow {
        if let Some((_, rest)) = self.split_blank(token) {
            let Some(rest) = rest else { return Flow::Done };
            return self.without_doctype(Token::Text(rest));
        }
        match token {
            Token::Comment(text) => self.insert_comment_in(text, Arena::DOCUMENT),
            Token::Doctype(doctype) => {
                self.doctype = Some(doctype);
                self.quirks = doctype.mode == QuirksMode::Quirks;
                self.mode = Mode::BeforeHtml;
                Flow::Done
            }
            _ => self.without_doctype(token),
        }
    }

    fn without_doctype(&mut self, token: Token) -> Flow {
        self.problem(Problem::MissingDoctype);
        self.quirks = true;
        self.again(Mode::BeforeHtml, token)
    }

    pub(super) fn before_html(&mut self, token: Token) -> Flow {
        if let Some((_, rest)) = self.split_blank(token) {
            let Some(rest) = rest else { return Flow::Done };
            return self.imply_html(Token::Text(rest));
        }
        match token {
            Token::Doctype(_) => self.unexpected(token),
            Token::Comment(text) => self.insert_comment_in(text, Arena::DOCUMENT),
            Token::Start(start) if start.name == tag::HTML => {
                let node = self.arena.new_element(
                    ElementName::html(tag::HTML),
                    start.start,
                    start.end,
                    &self.tokenizer.attributes,
                );
                self.open_root(node);
                self.mode = Mode::BeforeHead;
                Flow::Done
            }
            Token::End(end) if !matches!(end.name, tag::HEAD | tag::BODY | tag::HTML | tag::BR) => {
                self.unexpected(token)
            }
            _ => self.imply_html(token),
        }
    }

    fn imply_html(&mut self, token: Token) -> Flow {
        let node = self.arena.new_element(ElementName::html(tag::HTML), self.at, self.at, &[]);
        self.open_root(node);
        self.again(Mode::BeforeHead, token)
    }

    fn open_root(&mut self, node: NodeId) {
        self.arena.insert(node, Arena::DOCUMENT, NONE);
        self.open.push(&mut self.arena, node);
    }

    pub(super) fn before_head(&mut self, token: Token) -> Flow {
        if let Some((_, rest)) = self.split_blank(token) {
            let Some(rest) = rest else { return Flow::Done };
            return self.imply_head(Token::Text(rest));
        }
        match token {
            Token::Comment(text) => self.insert_comment(text),
            Token::Doctype(_) => self.unexpected(token),
            Token::Start(start) if start.name == tag::HTML => self.in_body(token),
            Token::Start(start) if start.name == tag::HEAD => {
                self.head = self.insert(start);
                self.mode = Mode::InHead;
                Flow::Done
            }
            Token::End(end) if !matches!(end.name, tag::HEAD | tag::BODY | tag::HTML | tag::BR) => {
                self.unexpected(token)
            }
            _ => self.imply_head(token),
        }
    }

    fn imply_head(&mut self, token: Token) -> Flow {
        self.head = self.insert_implied(tag::HEAD);
        self.again(Mode::InHead, token)
    }

    pub(super) fn in_head(&mut self, token: Token) -> Flow {
        if let Some((blank, rest)) = self.split_blank(token) {
            if let Some(blank) = blank {
                self.insert_text(blank);
            }
            let Some(rest) = rest else { return Flow::Done };
            return self.leave_head(Token::Text(rest));
        }
        match token {
            Token::Comment(text) => self.insert_comment(text),
            Token::Doctype(_) => self.unexpected(token),
            Token::Start(start) => self.in_head_start(start),
            Token::End(end) => match end.name {
                tag::HEAD => {
                    let head = self.pop();
                    self.close(head, end);
                    self.mode = Mode::AfterHead;
                    Flow::Done
                }
                tag::TEMPLATE => self.end_template(end),
                tag::BODY | tag::HTML | tag::BR => self.leave_head(token),
                _ => self.unexpected(token),
            },
            Token::Text(_) | Token::Null(_) | Token::Eof => self.leave_head(token),
        }
    }

    /// The encoding that the `meta` at hand names.
    fn meta_encoding(&self) -> Option<&'static Encoding> {
        let named = self.attribute("charset").and_then(|label| Encoding::for_label(label.as_bytes()));
        let is_pragma = || self.attribute("http-equiv").is_some_and(|it| it.eq_ignore_ascii_case("content-type"));
        let content = || self.attribute("content").filter(|_| is_pragma());
        named.or_else(|| charset_in(content()?.to_ascii_lowercase().as_bytes())).map(meant_by_meta)
    }

    fn leave_head(&mut self, token: Token) -> Flow {
        self.pop();
        self.again(Mode::AfterHead, token)
    }

    pub(super) fn in_head_start(&mut self, start: Tag) -> Flow {
        match start.name {
            tag::HTML => self.in_body(Token::Start(start)),
            tag::BASE | tag::BASEFONT | tag::BGSOUND | tag::LINK => self.insert_void(start),
            tag::META => {
                self.declared = self.declared.or_else(|| self.meta_encoding());
                self.insert_void(start)
            }
            tag::TITLE => self.insert_raw(start, Content::Rcdata(start.name)),
            tag::NOSCRIPT if !SCRIPTING => {
                self.insert(start);
                self.mode = Mode::InHeadNoscript;
                Flow::Done
            }
            tag::NOSCRIPT | tag::NOFRAMES | tag::STYLE => self.insert_raw(start, Content::RawText(start.name)),
            tag::SCRIPT => self.insert_raw(start, Content::Script),
            tag::TEMPLATE => {
                self.formatting.push_marker();
                self.frameset_ok = false;
                self.mode = Mode::InTemplate;
                self.template_modes.push(Mode::InTemplate);
                self.insert(start);
                Flow::Done
            }
            tag::HEAD => self.unexpected(Token::Start(start)),
            _ => self.leave_head(Token::Start(start)),
        }
    }

    pub(super) fn end_template(&mut self, end: Tag) -> Flow {
        if !self.open.contains(tag::TEMPLATE) {
            return self.unexpected(Token::End(end));
        }
        while self.open.current().name.is_in(class::THOROUGHLY_IMPLIED_END) {
            self.pop();
        }
        self.expect_current(tag::TEMPLATE);
        self.pop_to(tag::TEMPLATE, Some(end));
        self.formatting.clear_to_marker();
        self.template_modes.pop();
        self.reset_mode();
        Flow::Done
    }

    pub(super) fn in_head_noscript(&mut self, token: Token) -> Flow {
        if let Some((blank, rest)) = self.split_blank(token) {
            if let Some(blank) = blank {
                self.insert_text(blank);
            }
            let Some(rest) = rest else { return Flow::Done };
            return self.leave_noscript(Token::Text(rest));
        }
        match token {
            Token::Doctype(_) => self.unexpected(token),
            Token::Comment(text) => self.insert_comment(text),
            Token::End(end) if end.name == tag::NOSCRIPT => {
                let noscript = self.pop();
                self.close(noscript, end);
                self.mode = Mode::InHead;
                Flow::Done
            }
            Token::End(end) if end.name == tag::BR => self.leave_noscript(token),
            Token::End(_) => self.unexpected(token),
            Token::Start(start) => match start.name {
                tag::HTML => self.in_body(token),
                tag::BASEFONT | tag::BGSOUND | tag::LINK | tag::META | tag::NOFRAMES | tag::STYLE => {
                    self.in_head_start(start)
                }
                tag::HEAD | tag::NOSCRIPT => self.unexpected(token),
                _ => self.leave_noscript(token),
            },
            Token::Text(_) | Token::Null(_) | Token::Eof => self.leave_noscript(token),
        }
    }

    fn leave_noscript(&mut self, token: Token) -> Flow {
        self.unexpected(token);
        self.pop();
        self.again(Mode::InHead, token)
    }

    pub(super) fn after_head(&mut self, token: Token) -> Flow {
        if let Some((blank, rest)) = self.split_blank(token) {
            if let Some(blank) = blank {
                self.insert_text(blank);
            }
            let Some(rest) = rest else { return Flow::Done };
            return self.imply_body(Token::Text(rest));
        }
        match token {
            Token::Comment(text) => self.insert_comment(text),
            Token::Doctype(_) => self.unexpected(token),
            Token::Start(start) => match start.name {
                tag::HTML => self.in_body(token),
                tag::BODY => {
                    self.insert(start);
                    self.frameset_ok = false;
                    self.mode = Mode::InBody;
                    Flow::Done
                }
                tag::FRAMESET => {
                    self.insert(start);
                    self.mode = Mode::InFrameset;
                    Flow::Done
                }
                tag::BASE
                | tag::BASEFONT
                | tag::BGSOUND
                | tag::LINK
                | tag::META
                | tag::NOFRAMES
                | tag::SCRIPT
                | tag::STYLE
                | tag::TEMPLATE
                | tag::TITLE => self.late_for_head(start),
                tag::HEAD => self.unexpected(token),
                _ => self.imply_body(token),
            },
            Token::End(end) => match end.name {
                tag::TEMPLATE => self.end_template(end),
                tag::BODY | tag::HTML | tag::BR => self.imply_body(token),
                _ => self.unexpected(token),
            },
            Token::Text(_) | Token::Null(_) | Token::Eof => self.imply_body(token),
        }
    }

    /// An element of the head that comes behind it still goes into it.
    fn late_for_head(&mut self, start: Tag) -> Flow {
        self.unexpected(Token::Start(start));
        self.open.push(&mut self.arena, self.head);
        let flow = self.in_head_start(start);
        self.open.remove(&mut self.arena, self.head);
        flow
    }

    fn imply_body(&mut self, token: Token) -> Flow {
        self.insert_implied(tag::BODY);
        self.again(Mode::InBody, token)
    }

    pub(super) fn in_text(&mut self, token: Token) -> Flow {
        match token {
            Token::Text(text) => self.insert_text(text),
            Token::End(end) => {
                let node = self.pop();
                self.close(node, end);
                self.mode = self.original_mode;
            }
            _ => {
                self.unexpected(token);
                self.pop();
                return self.again(self.original_mode, token);
            }
        }
        Flow::Done
    }
}
