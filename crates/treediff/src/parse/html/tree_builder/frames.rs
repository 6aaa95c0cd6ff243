//! The modes of pages that are framesets.

use super::*;

impl TreeBuilder<'_> {
    pub(super) fn in_frameset(&mut self, token: Token) -> Flow {
        match token {
            Token::Text(text) => self.insert_blanks(text),
            Token::Comment(text) => self.insert_comment(text),
            Token::Start(start) => match start.name {
                tag::HTML => self.in_body(token),
                tag::FRAMESET => {
                    self.insert(start);
                    Flow::Done
                }
                tag::FRAME => self.insert_void(start),
                tag::NOFRAMES => self.in_head_start(start),
                _ => self.unexpected(token),
            },
            Token::End(end) if end.name == tag::FRAMESET && self.open.depth() > 1 => {
                let frameset = self.pop();
                self.close(frameset, end);
                if !self.open.current().name.is(tag::FRAMESET) {
                    self.mode = Mode::AfterFrameset;
                }
                Flow::Done
            }
            Token::Eof if self.open.depth() <= 1 => Flow::Done,
            _ => self.unexpected(token),
        }
    }

    /// Of text, only the white space is kept.
    pub(super) fn insert_blanks(&mut self, text: Text) -> Flow {
        self.each_blank(text, |builder, blank| builder.insert_text(blank));
        Flow::Done
    }

    fn each_blank(&mut self, text: Text, mut insert: impl FnMut(&mut Self, Text)) {
        let mut rest = Some(text);
        while let Some(text) = rest {
            let (blank, other) = text.split_blank(self.tokenizer.source());
            if let Some(blank) = blank {
                insert(self, blank);
            }
            rest = other.and_then(|other| self.behind_first_character(other));
        }
    }

    /// A text without its first character, which is left out.
    fn behind_first_character(&mut self, text: Text) -> Option<Text> {
        self.problem(Problem::UnexpectedText);
        let first = self.tokenizer.source()[text.range()].chars().next()?;
        let start = text.start + first.len_utf8() as u32;
        (start < text.end).then_some(Text { start, ..text })
    }

    pub(super) fn after_frameset(&mut self, token: Token) -> Flow {
        match token {
            Token::Text(text) => self.insert_blanks(text),
            Token::Comment(text) => self.insert_comment(text),
            Token::Start(start) if start.name == tag::HTML => self.in_body(token),
            Token::Start(start) if start.name == tag::NOFRAMES => self.in_head_start(start),
            Token::End(end) if end.name == tag::HTML => {
                if let Some(root) = self.open.root() {
                    self.close(root, end);
                }
                self.mode = Mode::AfterAfterFrameset;
                Flow::Done
            }
            Token::Eof => Flow::Done,
            _ => self.unexpected(token),
        }
    }

    pub(super) fn after_after_frameset(&mut self, token: Token) -> Flow {
        match token {
            Token::Comment(text) => self.insert_comment_in(text, Arena::DOCUMENT),
            Token::Text(text) => {
                self.each_blank(text, |builder, blank| {
                    builder.in_body(Token::Text(blank));
                });
                Flow::Done
            }
            Token::Start(start) if start.name == tag::HTML => self.in_body(token),
            Token::Start(start) if start.name == tag::NOFRAMES => self.in_head_start(start),
            Token::Eof => Flow::Done,
            _ => self.unexpected(token),
        }
    }
}
