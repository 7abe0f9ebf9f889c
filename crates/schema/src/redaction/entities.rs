//! The named character references of HTML for ASCII and Latin-1.

/// The names of U+00A0 to U+00FF, in order. All of them may lack the semicolon.
const LATIN: [&str; 96] = [
    "nbsp", "iexcl", "cent", "pound", "curren", "yen", "brvbar", "sect", "uml", "copy", "ordf", "laquo", "not", "shy",
    "reg", "macr", "deg", "plusmn", "sup2", "sup3", "acute", "micro", "para", "middot", "cedil", "sup1", "ordm",
    "raquo", "frac14", "frac12", "frac34", "iquest", "Agrave", "Aacute", "Acirc", "Atilde", "Auml", "Aring", "AElig",
    "Ccedil", "Egrave", "Eacute", "Ecirc", "Euml", "Igrave", "Iacute", "Icirc", "Iuml", "ETH", "Ntilde", "Ograve",
    "Oacute", "Ocirc", "Otilde", "Ouml", "times", "Oslash", "Ugrave", "Uacute", "Ucirc", "Uuml", "Yacute", "THORN",
    "szlig", "agrave", "aacute", "acirc", "atilde", "auml", "aring", "aelig", "ccedil", "egrave", "eacute", "ecirc",
    "euml", "igrave", "iacute", "icirc", "iuml", "eth", "ntilde", "ograve", "oacute", "ocirc", "otilde", "ouml",
    "divide", "oslash", "ugrave", "uacute", "ucirc", "uuml", "yacute", "thorn", "yuml",
];

/// The other names that may lack the semicolon.
const BARE: &[(&str, &str)] = &[
    ("AMP", "&"),
    ("amp", "&"),
    ("COPY", "©"),
    ("GT", ">"),
    ("gt", ">"),
    ("LT", "<"),
    ("lt", "<"),
    ("QUOT", "\""),
    ("quot", "\""),
    ("REG", "®"),
];

/// The names that end in a semicolon.
const CLOSED: &[(&str, &str)] = &[
    ("CenterDot", "·"),
    ("Cedilla", "¸"),
    ("DiacriticalAcute", "´"),
    ("DiacriticalGrave", "`"),
    ("Dot", "¨"),
    ("DoubleDot", "¨"),
    ("Hat", "^"),
    ("NewLine", "\n"),
    ("NonBreakingSpace", "\u{a0}"),
    ("PlusMinus", "±"),
    ("Tab", "\t"),
    ("UnderBar", "_"),
    ("VerticalLine", "|"),
    ("angst", "Å"),
    ("apos", "'"),
    ("ast", "*"),
    ("bsol", "\\"),
    ("centerdot", "·"),
    ("circledR", "®"),
    ("colon", ":"),
    ("comma", ","),
    ("commat", "@"),
    ("die", "¨"),
    ("div", "÷"),
    ("dollar", "$"),
    ("equals", "="),
    ("excl", "!"),
    ("fjlig", "fj"),
    ("grave", "`"),
    ("half", "½"),
    ("lbrace", "{"),
    ("lbrack", "["),
    ("lcub", "{"),
    ("lowbar", "_"),
    ("lpar", "("),
    ("lsqb", "["),
    ("midast", "*"),
    ("num", "#"),
    ("percnt", "%"),
    ("period", "."),
    ("plus", "+"),
    ("pm", "±"),
    ("quest", "?"),
    ("rbrace", "}"),
    ("rbrack", "]"),
    ("rcub", "}"),
    ("rpar", ")"),
    ("rsqb", "]"),
    ("semi", ";"),
    ("sol", "/"),
    ("strns", "¯"),
    ("verbar", "|"),
    ("vert", "|"),
];

/// The longest name here.
pub(super) const MAX_LENGTH: usize = 16;

/// Returns the character for a name with a semicolon.
pub(super) fn closed(name: &str) -> Option<String> {
    bare(name).or_else(|| find(CLOSED, name))
}

/// Returns the character for a name without a semicolon.
pub(super) fn bare(name: &str) -> Option<String> {
    let latin = || LATIN.iter().zip('\u{a0}'..='\u{ff}').find(|(known, _)| **known == name);
    find(BARE, name).or_else(|| latin().map(|(_, character)| character.to_string()))
}

fn find(names: &[(&str, &str)], name: &str) -> Option<String> {
    names.iter().find(|(known, _)| *known == name).map(|(_, text)| (*text).to_owned())
}
