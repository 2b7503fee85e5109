"""The formats of keys that vendors publish for scanners of secrets."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class KeyRule:
    """A format of keys.

    Attributes:
        vendor: Who gives such keys.
        pattern: A regular expression, at the beginning of a word.
        examples: Invented keys that it finds, without the surrounding text. Each is written as a beginning and the
            number of characters that follow, so that scanners do not take this module for a leak.
    """

    vendor: str
    pattern: str
    examples: tuple[tuple[str, int], ...]


_LONG: Final = 40

KEY_RULES: Final = (
    KeyRule("AWS", r"(?:AKIA|ASIA)(?:[ -]?[0-9A-Z]){16}\b", (("AKIA", 16), ("ASIA", 16))),
    KeyRule("GitHub", r"gh[opsur]_\w{20,}", (("ghp_", 36), ("gho_", 36), ("ghs_", 36), ("ghu_", 36), ("ghr_", 36))),
    KeyRule("GitHub, fine-grained", r"github_pat_\w{20,}", (("github_pat_", 82),)),
    KeyRule("GitLab", r"glpat-[\w-]{16,}", (("glpat-", 20),)),
    KeyRule(
        "OpenAI, Anthropic, OpenRouter",
        r"(?<!-)sk-(?=[\w-]*\d)[\w-]{16,}",
        (("sk-", 48), ("sk-proj-", 48), ("sk-ant-api03-", 95), ("sk-or-v1-", 64)),
    ),
    KeyRule("Stripe", r"[spr]k_(?:live|test)_\w{10,}", (("sk_live_", 24), ("rk_test_", 24), ("pk_live_", 24))),
    KeyRule("Slack", r"xox[abeoprs]-[\w-]{10,}", (("xoxb-", _LONG), ("xoxp-", _LONG))),
    KeyRule("Google", r"AIza[\w-]{30,}", (("AIza", 35),)),
    KeyRule("Google, access token", r"ya29\.[\w-]{20,}", (("ya29.", _LONG),)),
    KeyRule("Hugging Face", r"hf_\w{20,}", (("hf_", 34),)),
    KeyRule("npm", r"npm_\w{20,}", (("npm_", 36),)),
    KeyRule("PyPI", r"pypi-[\w-]{20,}", (("pypi-", _LONG),)),
    KeyRule("SendGrid", r"SG\.[\w-]{16,}\.[\w-]{16,}", (("SG.0123456789abcdef0123.", 43),)),
    KeyRule("DigitalOcean", r"dop_v1_\w{20,}", (("dop_v1_", 64),)),
    KeyRule(
        "Mailgun, Shopify, Supabase, RubyGems, Databricks",
        r"(?:key-|shp(?:at|ca|pa|ss)_|sbp_|rubygems_|dapi)[0-9a-f]{32,}",
        (("key-", 32), ("shpat_", 32), ("sbp_", 40), ("rubygems_", 48), ("dapi", 32)),
    ),
    KeyRule("Mailchimp", r"[0-9a-f]{32}-us\d{1,2}\b", (("0123456789abcdef0123456789abcdef-us1", 1),)),
    KeyRule("New Relic", r"NRAK-[A-Z0-9]{27}\b", (("NRAK-", 27),)),
    KeyRule("age", r"AGE-SECRET-KEY-1[A-Z0-9]{50,}", (("AGE-SECRET-KEY-1", 58),)),
    KeyRule("EchoMind", r"em_[\w-]{20,}", (("em_", 43),)),
)
"""In the order in which they are tried."""
