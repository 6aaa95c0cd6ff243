use super::*;

/// Allows what is at `ok:`, keeps fragments, and has the key `dab`.
struct Strict;

impl Judge for Strict {
    fn address(&self, written: &str) -> Option<String> {
        (written.starts_with("ok:") || written.starts_with('#')).then(|| written.to_owned())
    }

    fn without_key<'t>(&self, text: &'t str) -> Cow<'t, str> {
        super::super::key::Key("dab").removed_from(text)
    }

    fn still(&self) -> String {
        "data-still".to_owned()
    }
}

fn rewritten(text: &str) -> String {
    let mut out = String::new();
    write(text, &Strict, &mut out);
    out
}

fn check(cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        assert_eq!(rewritten(text), *expected, "{text:?}");
        assert_eq!(rewritten(expected), *expected, "{text:?}, once more");
    }
}

#[test]
fn what_is_harmless_stays_as_it_is() {
    for text in [
        "",
        "p{color:red}",
        "@media (min-width:40em) and (width < 50em) { .a > .b ~ #c + d::before { content: \"\\201C x\" } }",
        ".md\\:flex, .\\31 0 { margin: -1.5e3px .5em calc(1px + 2 * var(--x, 3%)) !important }",
        "@layer base, page; @layer base { a[href^='x'] { color: #abc } }",
        "@counter-style a { system: cyclic; symbols: \"A\"; suffix: \" \"; range: 1 4 } @b { c: U+26, U+4??, U+0-7F }",
        "a { & b { c: d } } é { ü: 'ß' }",
        "@namespace svg \"http://www.w3.org/2000/svg\"; svg|a { fill: none }",
        "a { background: linear-gradient(red, blue), url(\"ok:x\") no-repeat }",
        "a{b:c;/**/d:e}",
    ] {
        assert_eq!(rewritten(text), text);
    }
}

#[test]
fn nothing_in_a_style_attribute_is_important() {
    for (text, expected) in [
        ("a:b !important", "a:b /**/"),
        ("a:b!IMPORTANT;c:d", "a:b/**/;c:d"),
        ("a:b ! /* x */ im\\portant ;c:d", "a:b /**/ ;c:d"),
        ("a:b !\\69mportant", "a:b /**/"),
        ("a:b !/**/!important", "a:b /**//**/"),
        ("a:'!important' !", "a:'!important' /**/"),
    ] {
        let mut out = String::new();
        write_declarations(text, &Strict, &mut out);
        assert_eq!(out, expected, "{text:?}");
    }
}

#[test]
fn what_is_pointed_at_is_as_ever_once_somebody_went_to_a_mark() {
    const STILL: &str = ":where(:not([data-still],[data-still] *))";
    for (text, expected) in [
        ("a:hover{b:c}", "a:hover%{b:c}"),
        ("a:HOVER::before,:not(:h\\6fver) p{b:c}", "a:HOVER%::before,:not(:h\\6fver%) p{b:c}"),
        ("a:/* x *//**/hover{b:c}", "a:/**//**/hover%{b:c}"),
        ("a{&:hover{b:c}}", "a{&:hover%{b:c}}"),
        (".hover:hover{b: hover}", ".hover:hover%{b: hover}"),
        ("a:hovering,:is(b)hover{b:c}@media (hover:hover){}", "a:hovering,:is(b)hover{b:c}@media (hover:hover){}"),
    ] {
        assert_eq!(rewritten(text), expected.replace('%', STILL), "{text:?}");
    }
    let mut out = String::new();
    write_declarations("animation-name:hover", &Strict, &mut out);
    assert_eq!(out, "animation-name:hover");
}

#[test]
fn fonts_are_no_matter_of_a_page() {
    check(&[
        ("@font-face{font-family:A;src:local(\"A\")}p{c:d}", "@refused {font-family:A;src:local(\"A\")}p{c:d}"),
        ("@media all{@FONT-\\66 ace {src:url(ok:x)}}", "@media all{@refused  {src:url(\"ok:x\")}}"),
        ("@font-feature-values A{@swash{b:1}}", "@font-feature-values A{@swash{b:1}}"),
    ]);
}

#[test]
fn addresses_are_emptied_however_they_are_spelt() {
    check(&[
        ("a{b:url(ok:x)}", "a{b:url(\"ok:x\")}"),
        ("a{b:url( 'ok:x' )}", "a{b:url(\"ok:x\" )}"),
        ("a{b:url(#g)}", "a{b:url(\"#g\")}"),
        ("a{b:url(evil)}", "a{b:url(\"\")}"),
        ("a{b:URL(\"evil\")}", "a{b:url(\"\")}"),
        ("a{b:\\75rl(evil)}", "a{b:url(\"\")}"),
        ("a{b:\\000075\\72 l(evil)}", "a{b:url(\"\")}"),
        ("a{b:u\\rl(evil)}", "a{b:url(\"\")}"),
        ("a{b:ur\\\nl(evil)}", "a{b:ur/**/\nl(evil)}"),
        ("a{b:url(ev il) c}", "a{b:url(\"\") c}"),
        ("a{b:url(ok:'x) c}", "a{b:url(\"\") c}"),
        ("a{b:url(ev\\)il) c}", "a{b:url(\"\") c}"),
        ("a{b:url(\\65vil)}", "a{b:url(\"\")}"),
        ("a{b:url(/**/evil)}", "a{b:url(\"\")}"),
        ("a{b:u/**/rl(evil)}", "a{b:u/**/rl(evil)}"),
        ("a{b:/*url(*/url(evil)/*)*/}", "a{b:/**/url(\"\")/**/}"),
        ("a{b:\"url(\"url(evil)\")\"}", "a{b:\"url(\"url(\"\")\")\"}"),
        ("a{b:'\\'url('url(evil)}", "a{b:'\\'url('url(\"\")}"),
        ("a{b:\\75<!--rl(evil)}", "a{b:\\75/**/rl(evil)}"),
        ("a{b:\\75/**/rl(evil)}", "a{b:\\75/**/rl(evil)}"),
        ("a{b:1.url(evil)}", "a{b:1.url(\"\")}"),
        ("a{b:1e+url(evil)}", "a{b:1e+url(\"\")}"),
        ("a{b:1url(evil)}", "a{b:1url(evil)}"),
        ("a{b:-url(evil)}", "a{b:-url(evil)}"),
        ("a{b:#url(evil)}", "a{b:#url(evil)}"),
        ("a{b:url(evil", "a{b:url(\"\")"),
        ("a{b:url(\"evil", "a{b:url(\"\""),
        ("a{b:url(\"ok:\nevil\") url(evil)", "a{b:url(\"\"\nevil\") url(evil)\""),
        ("a{--b:url(evil)}", "a{--b:url(\"\")}"),
    ]);
}

#[test]
fn strings_that_are_addresses_are_emptied_too() {
    check(&[
        ("a{b:image-set(\"evil\" 1x, 'ok:x' 2x)}", "a{b:image-set(\"\" 1x, \"ok:x\" 2x)}"),
        ("a{b:-webkit-image-set(\"evil\" 1x)}", "a{b:-webkit-image-set(\"\" 1x)}"),
        ("a{b:\\69mage-set(\"evil\")}", "a{b:\\69mage-set(\"\")}"),
        ("a{b:image-set(\"ok:x\" type(\"image/png\"))}", "a{b:image-set(\"ok:x\" type(\"image/png\"))}"),
        ("a{b:src(\"evil\")}", "a{b:src(\"\")}"),
        ("a{b:src(var(--x))}", "a{b:src(refused(--x))}"),
        ("a{b:image-set(if(style(a:b): \"evil\"))}", "a{b:image-set(refused(style(a:b): \"evil\"))}"),
        ("a{b:image-set(--f(\"evil\") 1x)}", "a{b:image-set(refused(\"evil\") 1x)}"),
        ("a{b:image-set(} \"evil\" ]) \"kept\"", "a{b:image-set(} \"\" ]) \"kept\""),
        ("a{b:expression(alert(1))}", "a{b:refused(alert(1))}"),
        ("a{b:exp/**/ression(alert(1))}", "a{b:exp/**/ression(alert(1))}"),
    ]);
}

#[test]
fn imports_are_resolved_or_refused() {
    check(&[
        ("@import \"ok:x\";", "@import url(\"ok:x\");"),
        ("@import url(ok:x) screen;", "@import url(\"ok:x\") screen;"),
        ("@import url( 'ok:x' ) layer(a);", "@import url(\"ok:x\") layer(a);"),
        ("@import 'evil' layer(a); b{c:d}", "@refused  layer(a); b{c:d}"),
        ("@\\69mport/**/\n'evil'", "@refused "),
        ("@IMPORT url(evil);", "@refused ;"),
        ("@import src('evil');", "@refused src(\"\");"),
        ("@import 'evil", "@refused "),
        ("@import", "@refused "),
        ("@namespace url(evil);", "@namespace url(\"\");"),
        ("@namespace 'evil';a{b:'c'}", "@namespace \"\";a{b:'c'}"),
    ]);
}

#[test]
fn nothing_ends_the_element_or_begins_a_tag() {
    check(&[
        ("a{b:\"</style>\"}", "a{b:\"\\3c /style>\"}"),
        ("a{b:\\</style>}", "a{b:\\3c /style>}"),
        ("</style><img>", "< /style>< img>"),
        ("<!-- a{} -->", "/**/ a{} /**/"),
        ("/*</style><!--*/a", "/**/a"),
        ("a /*</style>", "a /**/"),
        ("@media (width<40em){}", "@media (width<40em){}"),
        ("a{b:\"\\", "a{b:\"\""),
    ]);
}

#[test]
fn the_key_is_not_spelt() {
    check(&[
        (".dab,.xDABx{}", "._,.x_x{}"),
        ("@layer d\\61 b{}", "@layer _{}"),
        ("@layer \\64\\61\\62 {}", "@layer _{}"),
        ("#\\64 ab{}", "#_{}"),
        ("[data-dab-kind='d\\61 b']{}", "[data-_-kind=\"_\"]{}"),
        ("a{b:1dab}", "a{b:1_}"),
        (".ddabab{}", ".d_ab{}"),
    ]);
}

#[test]
fn nothing_stands_as_high_as_a_mark() {
    check(&[
        ("a{z-index:2147483645}", "a{z-index:2147483645}"),
        ("a{z-index:2147483646}", "a{z-index:2147483645}"),
        ("a{Z-\\49ndex /**/ : /**/ +99999999999999999999 !important}", "a{Z-\\49ndex:2147483645 !important}"),
        ("a{z-index:-1;b:c}", "a{z-index:-1;b:c}"),
        ("a{z-index:auto}b{z-index:inherit!important}", "a{z-index:auto}b{z-index:inherit!important}"),
        ("a{z-index:var(--z)}", "a{z-index:min(2147483645,var(--z))}"),
        ("a{z-index:calc((1 + 2) * 9)!important;c:d}", "a{z-index:min(2147483645,calc((1 + 2) * 9))!important;c:d}"),
        ("@supports (z-index:calc(1)) { a{b:c} }", "@supports (z-index:min(2147483645,calc(1))) { a{b:c} }"),
        ("a{transition:z-index 1s}", "a{transition:z-index 1s}"),
        ("a{z-index:2147483648url(x)}", "a{z-index:2147483645url(x)}"),
    ]);
    let attribute = |text: &str| {
        let mut out = String::new();
        write_declarations(text, &Strict, &mut out);
        (is_plain(text), out)
    };
    assert_eq!(attribute("Z-INDEX: 2147483647"), (false, "Z-INDEX:2147483645".to_owned()));
    assert_eq!(attribute("z-index: max(1"), (false, "z-index:min(2147483645,max(1".to_owned()));
}

#[test]
fn nothing_stays_while_the_page_is_scrolled() {
    check(&[
        ("a{position:fixed;top:0}", "a{position:absolute;top:0}"),
        ("a{Posi\\74ion /**/ : /**/ FI\\58 ED !important}", "a{Posi\\74ion:absolute !important}"),
        ("a{position: sticky}b{position:-webkit-sticky}", "a{position:relative}b{position:relative}"),
        ("a{position: relative;b:fixed}", "a{position: relative;b:fixed}"),
        ("a{position:var(--p, fixed)}", "a{position:refused(--p, fixed)}"),
        ("a{position:/**/if(else: fixed)}", "a{position:refused(else: fixed)}"),
        ("a{position:--p()}", "a{position:refused()}"),
        (
            ".position:not(.fixed) :focus, .position :focus {b:c}",
            ".position:not(.fixed) :focus, .position :focus {b:c}",
        ),
        ("a{background-position:var(--x)}", "a{background-position:var(--x)}"),
        ("@supports (position:sticky) { a{b:c} }", "@supports (position:relative) { a{b:c} }"),
        ("a{position:", "a{position:"),
    ]);
    for (text, expected) in [("Position: Fixed", "Position:absolute"), ("position:sticky", "position:relative")] {
        let mut out = String::new();
        write_declarations(text, &Strict, &mut out);
        assert_eq!((is_plain(text), &*out), (false, expected));
    }
}
