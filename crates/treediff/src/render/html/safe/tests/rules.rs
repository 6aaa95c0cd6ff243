//! What is kept, and as what.

use super::*;

#[test]
fn what_is_harmless_is_kept() {
    for page in [
        "<p class=\"a\">x &amp; <b>y</b> &lt;z&gt;</p>",
        "<h1 id=\"top\">x</h1><ol start=\"3\"><li value=\"4\">y</li></ol>",
        "<table><tbody><tr><td colspan=\"2\">x</td></tr></tbody></table>",
        "<font color=\"red\">x</font><center>y</center><hr>",
        "<pre>\n\nx</pre>",
        "<details open><summary>x</summary>y</details>",
        "<my-widget data-x=\"1\">x</my-widget>",
        "<style>p{color:red}</style>",
    ] {
        assert_eq!(shown(page), page);
    }
    let within = "<a name=\"part\">x</a><a href=\"#part\">y</a>";
    assert_eq!(shown(within), "<a name=\"part\">x</a><a href=\"about:srcdoc#part\">y</a>");
}

#[test]
fn elements_that_do_something_become_others() {
    check(&[
        ("<form action=x><button>y</button></form>", "<div><button type=\"button\">y</button></div>"),
        ("<table><form><tr><td>x</form></table>", "<table><tbody><tr><td>x</td></tr></tbody></table>"),
        ("<xmp><b>x</b></xmp>", "<pre>&lt;b&gt;x&lt;/b&gt;</pre>"),
        ("<listing>\n\nx</listing>", "<pre>\n\nx</pre>"),
        ("<plaintext>\n</body>", "<pre>\n\n&lt;/body&gt;</pre>"),
        ("<blink>x</blink><o:p>y</o:p>", "<span>x</span><span>y</span>"),
        ("<body><noscript><p>x</noscript>", "<p>x</p>"),
        ("<title>x</title><meta charset=utf-8><base href=x><template><p>y</template>", ""),
        ("x<!-- y -->z", "xz"),
        (
            "<frameset><frame src=a><frameset></frameset></frameset>",
            "<span data-d0123456789abcdef-box=\"frame https://example.org/dir/a\"></span><div></div>",
        ),
    ]);
}

#[test]
fn frames_and_plug_ins_become_boxes() {
    check(&[
        (
            "<iframe src=//video.net/1 width=560 height=50% class=v></iframe>",
            "<span width=\"560\" height=\"50%\" class=\"v\" \
             data-d0123456789abcdef-box=\"iframe https://video.net/1\" style=\"width:560px;height:50%;\"></span>",
        ),
        ("<iframe srcdoc='<script>x</script>'></iframe>", "<span data-d0123456789abcdef-box=\"iframe\"></span>"),
        ("<iframe src=javascript:x></iframe>", "<span data-d0123456789abcdef-box=\"iframe\"></span>"),
        (
            "<object data=a.swf><p>x</object>",
            "<span data-d0123456789abcdef-box=\"object https://example.org/dir/a.swf\"></span>",
        ),
        (
            "<embed src=d0123456789abcdef>",
            "<span data-d0123456789abcdef-box=\"embed https://example.org/dir/_\"></span>",
        ),
        ("<canvas>x</canvas>", "<span data-d0123456789abcdef-box=\"canvas\"></span>"),
    ]);
}

#[test]
fn fields_send_nothing_and_ask_for_nothing() {
    check(&[
        ("<input name=a value=b>", "<input value=\"b\" readonly autocomplete=\"off\">"),
        ("<input type=password>", "<input type=\"password\" disabled>"),
        ("<input type=text src=a.png alt=x>", "<input type=\"text\" readonly autocomplete=\"off\">"),
        ("<input type=FILE>", "<input type=\"FILE\" disabled>"),
        ("<input type=radio name=a>", "<input type=\"radio\" name=\"a\">"),
        ("<input type=submit formaction=x>", "<input type=\"button\" value=\"Submit\">"),
        ("<input type=image src=a.png name=x>", "<img src=\"https://example.org/dir/a.png\">"),
        ("<textarea name=a autofocus>\n\nx</b></textarea>", "<textarea readonly>\n\nx&lt;/b&gt;</textarea>"),
        ("<button type=submit name=x form=y>z</button>", "<button type=\"button\">z</button>"),
        ("<select name=a><option selected>x</select>", "<select><option selected>x</option></select>"),
    ]);
}

#[test]
fn links_leave_the_page_without_a_word() {
    const LEAVING: &str = "target=\"_blank\" rel=\"noopener noreferrer nofollow\"";
    let check = |page: &str, expected: &str| assert_eq!(shown(page), expected.replace('*', LEAVING), "{page}");
    check("<a href=../x>y</a>", "<a href=\"https://example.org/x\" *>y</a>");
    check("<a href=mailto:x@y.z>y</a>", "<a href=\"mailto:x@y.z\" *>y</a>");
    check("<a href=x ping=y download target=_top rel=opener>z</a>", "<a href=\"https://example.org/dir/x\" *>z</a>");
    check("<map name=m><area href=x></map>", "<map name=\"m\"><area href=\"https://example.org/dir/x\" *></map>");
    check("<base href=/up/><base href=/no/><a href=x>y</a>", "<a href=\"https://example.org/up/x\" *>y</a>");
    check(
        "<template><base href=/no/></template><base><a href=x>y</a>",
        "<a href=\"https://example.org/dir/x\" *>y</a>",
    );
    check("<base href=javascript:1><a href=x>y</a>", "<a href=\"https://example.org/dir/x\" *>y</a>");
    check(
        "<base href=//else.net/><a href=x><img src=y alt=z></a>",
        "<a href=\"https://else.net/x\" *><img alt=\"z\" title=\"https://else.net/y\"></a>",
    );
}

#[test]
fn without_a_base_addresses_are_told() {
    let shown = |page: &str| shown_at(None, page);
    let page = |body: &str| format!("<html><head></head><body>{body}</body></html>");
    assert_eq!(shown("<a href=x/y>z</a>"), page("<a title=\"x/y\">z</a>"));
    assert_eq!(shown("<a href=x title=t>z</a>"), page("<a title=\"t\">z</a>"));
    assert_eq!(shown("<img src='i/a b.png?x'>"), page("<img title=\"i/a%20b.png?x\" alt=\"a%20b.png\">"));
    assert_eq!(shown("<img src=https://e.net/a.png alt=''>"), page("<img alt title=\"https://e.net/a.png\">"));
}

#[test]
fn only_allowed_origins_are_loaded_from() {
    check(&[
        ("<img src=a.png>", "<img src=\"https://example.org/dir/a.png\">"),
        ("<img alt=x src=//evil.net/a.png>", "<img alt=\"x\" title=\"https://evil.net/a.png\">"),
        ("<img alt=x src=https://example.org@evil.net/a>", "<img alt=\"x\" title=\"https://evil.net/a\">"),
        ("<img src=data:image/gif;base64,R0>", "<img src=\"data:image/gif;base64,R0\">"),
        ("<img alt=x src=data:image/svg+xml,x>", "<img alt=\"x\">"),
        (
            "<img srcset='a.png, //evil.net/b 2x, data:image/png,x,y 3x,c 4x'>",
            "<img srcset=\"https://example.org/dir/a.png, data:image/png,x,y 3x, https://example.org/dir/c 4x\">",
        ),
        ("<img srcset='//evil.net/b 2x' alt=x>", "<img alt=\"x\">"),
        ("<body background=//evil.net/x>", ""),
        (
            "<video src=a.webm poster=//evil.net/b autoplay>",
            "<video src=\"https://example.org/dir/a.webm\" preload=\"none\"></video>",
        ),
        (
            "<p style='background:url(a.png)'>",
            "<p style=\"background:url(&quot;https://example.org/dir/a.png&quot;)\"></p>",
        ),
        ("<p style='background:url(//evil.net)'>", "<p style=\"background:url(&quot;&quot;)\"></p>"),
        (
            "<style>@import 'x.css';@import '//evil.net'</style>",
            "<style>@import url(\"https://example.org/dir/x.css\");@refused </style>",
        ),
        (
            "<link rel=StyleSheet href=x.css media=print onload=y>",
            "<link href=\"https://example.org/dir/x.css\" media=\"print\" rel=\"stylesheet\">",
        ),
        ("<link rel=stylesheet href=//evil.net/x.css>", ""),
        ("<link rel='alternate stylesheet' href=x.css><link rel=icon href=x><link rel=preload href=x>", ""),
        ("<link rel=stylesheet href='data:image/png,x'>", ""),
        ("<style type=text/less>x</style><style type='text/css; a=b'>y</style>", "<style>y</style>"),
    ]);
}

#[test]
fn drawings_and_formulas_are_kept() {
    for page in [
        "<svg viewBox=\"0 0 1 1\"><defs><linearGradient id=\"g\"><stop offset=\"1\"></stop></linearGradient></defs>\
         <path d=\"M0 0h1\"></path><g><title>x</title></g><text>y<tspan>z</tspan></text></svg>",
        "<svg><use xlink:href=\"#a\"></use><image href=\"https://example.org/x.png\"></image></svg>",
        "<svg><rect fill=\"url(&quot;#g&quot;)\"></rect></svg>",
        "<svg><style>a&gt;b{c:d}</style></svg>",
        "<math><mfrac><mi>x</mi><mn>2</mn></mfrac><mtext>a &lt; b</mtext></math>",
    ] {
        assert_eq!(shown(page), page);
    }
}

#[test]
fn drawings_neither_run_nor_link_nor_hold_html() {
    check(&[
        ("<svg onload=x><script>y</script><path onclick=z></svg>", "<svg><path></path></svg>"),
        ("<svg><a href=x><path></a></svg>", "<svg><path></path></svg>"),
        ("<svg><foreignObject><p>x</foreignObject></svg>", "<svg></svg>"),
        ("<svg><use href=//evil.net/#x></use><use href=data:x></use></svg>", "<svg><use></use><use></use></svg>"),
        ("<svg><image xlink:href=//evil.net/x></svg>", "<svg><image></image></svg>"),
        (
            "<svg><animate attributeName=href to=javascript:x></animate><set></set><path></svg>",
            "<svg><path></path></svg>",
        ),
        ("<svg><title><p>x<b>y<script>z</script></title></svg>", "<svg><title>xy</title></svg>"),
        ("<svg><rect fill='\\75rl(//evil.net)'></svg>", "<svg><rect fill=\"url(&quot;&quot;)\"></rect></svg>"),
        (
            "<svg><style>&lt;/style>&lt;img src=x onerror=y>{a:url(//e.net)}</style></svg>",
            "<svg><style>&lt; /style&gt;&lt; img src=x onerror=y&gt;{a:url(\"\")}</style></svg>",
        ),
        ("<math href=javascript:x><mtext><p>a<svg><path></svg>b</mtext></math>", "<math><mtext>ab</mtext></math>"),
        ("<math><annotation-xml encoding=text/html><p>x</annotation-xml></math>", "<math></math>"),
    ]);
}

#[test]
fn the_key_is_nowhere() {
    check(&[
        ("<p class='a d0123456789abcdef b' id=D0123456789ABCDEF-1>x</p>", "<p class=\"a _ b\" id=\"_-1\">x</p>"),
        ("<p data-d0123456789abcdef=1 data-x=d0123456789abcdef>x</p>", "<p data-x=\"_\">x</p>"),
        ("<x-d0123456789abcdef>x</x-d0123456789abcdef>", "<span>x</span>"),
        ("<a href=#d0123456789abcdef-1 name=d0123456789abcdef>x</a>", "<a href=\"about:srcdoc#_-1\" name=\"_\">x</a>"),
        ("<style>@layer \\64 0123456789abcdef{a{b:c}}</style>", "<style>@layer _{a{b:c}}</style>"),
        ("<p style='--d0123456789abcdef:x'>", "<p style=\"--_:x\"></p>"),
        ("<svg id=d0123456789abcdef><g fill=d0123456789abcdef></svg>", "<svg id=\"_\"><g fill=\"_\"></g></svg>"),
    ]);
}

#[test]
fn our_attributes_come_last_and_win() {
    let document = read("<p class=a title=b>");
    let safe = Safe::new(&document, None, &[], KEY);
    let p = document.nodes().find(|node| node.name().local == "p").unwrap();
    let mut out = String::new();
    safe.start_tag(p, &[("title", "\"ours\""), ("data-d0123456789abcdef", "1")], &mut out);
    assert_eq!(out, "<p class=\"a\" title=\"&quot;ours&quot;\" data-d0123456789abcdef=\"1\">");
}
