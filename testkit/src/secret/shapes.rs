//! The formats of keys and tokens of well-known services, with their prefixes,
//! alphabets and lengths.
//!
//! The formats are taken from the rules of Betterleaks, the successor of
//! gitleaks (<https://github.com/betterleaks/betterleaks>,
//! `config/betterleaks.toml` of commit 6381fa4, MIT), and from some rules of
//! Kingfisher (<https://github.com/mongodb/kingfisher>, commit ee7c0db,
//! Apache-2.0). `super::text` covers rules that recognise a service only by its
//! name.

use Part::{Run, Text};
use std::sync::LazyLock;

/// A part of a token.
#[derive(Debug)]
enum Part {
    /// This exact text.
    Text(&'static str),
    /// Characters of an alphabet, with a minimum and a maximum count.
    Run(Alphabet, usize, usize),
}

/// A set of ASCII characters, one bit for each.
#[derive(Debug, Clone, Copy)]
struct Alphabet(u128);

impl Alphabet {
    const fn new(characters: &str) -> Self {
        let bytes = characters.as_bytes();
        let mut set = 0;
        let mut at = 0;
        while at < bytes.len() {
            set |= 1 << bytes[at];
            at += 1;
        }
        Self(set)
    }

    const fn and(self, characters: &str) -> Self {
        Self(self.0 | Self::new(characters).0)
    }

    fn has(self, byte: u8) -> bool {
        byte < 128 && self.0 >> byte & 1 == 1
    }
}

const DIGITS: Alphabet = Alphabet::new("0123456789");
const HEX: Alphabet = DIGITS.and("abcdefABCDEF");
const CAPITALS: Alphabet = DIGITS.and("ABCDEFGHIJKLMNOPQRSTUVWXYZ");
const ALNUM: Alphabet = CAPITALS.and("abcdefghijklmnopqrstuvwxyz");
const WORD: Alphabet = ALNUM.and("_-");
const DOTTED: Alphabet = WORD.and(".=");
const BASE64: Alphabet = ALNUM.and("+/=");

/// The count of a run without an upper bound. Services extend their tokens.
const ANY: usize = usize::MAX;

/// The maximum count of a run that is followed by another part. An unbounded
/// run would be scanned repeatedly.
const HEADER: usize = 1024;

/// The number of lower-case letters in a row that make a text a name, not a
/// token.
const LONGEST_NAME: usize = 64;

/// The formats. If two have the same prefix, the more specific one comes first.
#[rustfmt::skip]
const SHAPES: &[&[Part]] = &[
    // 1Password
    &[Text("A3-"), Run(CAPITALS, 6, 6), Text("-"), Run(CAPITALS.and("-"), 29, 30)],
    &[Text("ops_eyJ"), Run(BASE64, 100, ANY)],
    // Adobe, age, Airtable, Alibaba
    &[Text("p8e-"), Run(ALNUM, 32, ANY)],
    &[Text("AGE-SECRET-KEY-1"), Run(CAPITALS, 58, ANY)],
    &[Text("pat"), Run(ALNUM, 14, 14), Text("."), Run(HEX, 64, ANY)],
    &[Text("LTAI"), Run(ALNUM, 17, 30)],
    // Anthropic, OpenAI and services whose tokens begin in the same way
    &[Text("sk-ant-"), Run(WORD, 16, ANY)],
    &[Text("sk-proj-"), Run(WORD, 16, ANY)],
    &[Text("sk-svcacct-"), Run(WORD, 16, ANY)],
    &[Text("sk-admin-"), Run(WORD, 16, ANY)],
    &[Text("sk-"), Run(ALNUM, 20, ANY)],
    // Artifactory, Atlassian
    &[Text("AKCp"), Run(ALNUM, 69, ANY)],
    &[Text("cmVmd"), Run(ALNUM, 59, 59)],
    &[Text("ATATT3"), Run(WORD.and("="), 186, ANY)],
    // Authress
    &[Text("sc_"), Run(ALNUM, 5, 30), Text("."), Run(ALNUM, 4, 6), Text(".acc"), Run(DOTTED, 42, ANY)],
    &[Text("ext_"), Run(ALNUM, 5, 30), Text("."), Run(ALNUM, 4, 6), Text(".acc"), Run(DOTTED, 42, ANY)],
    &[Text("scauth_"), Run(ALNUM, 5, 30), Text("."), Run(ALNUM, 4, 6), Text(".acc"), Run(DOTTED, 42, ANY)],
    &[Text("authress_"), Run(ALNUM, 5, 30), Text("."), Run(ALNUM, 4, 6), Text(".acc"), Run(DOTTED, 42, ANY)],
    // AWS
    &[Text("AKIA"), Run(CAPITALS, 16, 16)],
    &[Text("ASIA"), Run(CAPITALS, 16, 16)],
    &[Text("ABIA"), Run(CAPITALS, 16, 16)],
    &[Text("ACCA"), Run(CAPITALS, 16, 16)],
    &[Text("A3T"), Run(CAPITALS, 17, 17)],
    &[Text("ABSK"), Run(BASE64, 109, ANY)],
    &[Text("bedrock-api-key-YmVkcm9jay5hbWF6b25hd3MuY29t"), Run(DOTTED.and("/+%&"), 0, ANY)],
    // Azure
    &[Run(ALNUM.and("_~."), 3, 3), Run(DIGITS, 1, 1), Text("Q~"), Run(WORD.and("~."), 31, 34)],
    // ClickHouse, Clojars, Cloudflare, Databricks
    &[Text("4b1d"), Run(ALNUM, 38, 38)],
    &[Text("CLOJARS_"), Run(ALNUM, 60, ANY)],
    &[Text("v1.0-"), Run(HEX, 24, 24), Text("-"), Run(HEX, 146, ANY)],
    &[Text("dapi"), Run(HEX, 32, 32), Text("-"), Run(DIGITS, 1, 1)],
    &[Text("dapi"), Run(HEX, 32, 32)],
    // Defined Networking, DigitalOcean, Doppler, Dropbox, Duffel, Dynatrace
    &[Text("dnkey-"), Run(WORD.and("="), 79, ANY)],
    &[Text("doo_v1_"), Run(HEX, 64, ANY)],
    &[Text("dop_v1_"), Run(HEX, 64, ANY)],
    &[Text("dor_v1_"), Run(HEX, 64, ANY)],
    &[Text("dp.pt."), Run(ALNUM, 43, ANY)],
    &[Text("sl."), Run(WORD.and("="), 135, ANY)],
    &[Text("duffel_test_"), Run(WORD.and("="), 43, ANY)],
    &[Text("duffel_live_"), Run(WORD.and("="), 43, ANY)],
    &[Text("dt0c01."), Run(ALNUM, 24, 24), Text("."), Run(ALNUM, 64, ANY)],
    // EasyPost, Facebook, Flutterwave, Fly.io, Frame.io
    &[Text("EZAK"), Run(ALNUM, 54, ANY)],
    &[Text("EZTK"), Run(ALNUM, 54, ANY)],
    &[Text("EAAM"), Run(ALNUM, 100, ANY)],
    &[Text("EAAC"), Run(ALNUM, 100, ANY)],
    &[Run(DIGITS, 15, 16), Text("|"), Run(WORD, 27, 40)],
    &[Text("FLWSECK_TEST-"), Run(ALNUM, 32, 32), Text("-X")],
    &[Text("FLWPUBK_TEST-"), Run(ALNUM, 32, 32), Text("-X")],
    &[Text("FLWSECK_TEST-"), Run(ALNUM, 12, ANY)],
    &[Text("fo1_"), Run(WORD, 43, ANY)],
    &[Text("fm1a_"), Run(BASE64, 100, ANY)],
    &[Text("fm1r_"), Run(BASE64, 100, ANY)],
    &[Text("fm2_"), Run(BASE64, 100, ANY)],
    &[Text("fio-u-"), Run(WORD.and("="), 64, ANY)],
    // GitHub
    &[Text("ghp_"), Run(ALNUM, 20, ANY)],
    &[Text("gho_"), Run(ALNUM, 20, ANY)],
    &[Text("ghu_"), Run(ALNUM, 20, ANY)],
    &[Text("ghs_"), Run(ALNUM, 20, ANY)],
    &[Text("ghr_"), Run(ALNUM, 20, ANY)],
    &[Text("github_pat_"), Run(WORD, 20, ANY)],
    // GitLab
    &[Text("glagent-"), Run(WORD, 50, ANY)],
    &[Text("glcbt-"), Run(WORD, 20, ANY)],
    &[Text("gldt-"), Run(WORD, 20, ANY)],
    &[Text("glffct-"), Run(WORD, 20, ANY)],
    &[Text("glft-"), Run(WORD, 20, ANY)],
    &[Text("glimt-"), Run(WORD, 20, ANY)],
    &[Text("gloas-"), Run(WORD, 64, ANY)],
    &[Text("glpat-"), Run(WORD, 20, HEADER), Text("."), Run(ALNUM, 9, 9)],
    &[Text("glpat-"), Run(WORD, 20, ANY)],
    &[Text("glptt-"), Run(WORD, 40, ANY)],
    &[Text("glrt-"), Run(WORD, 20, HEADER), Text("."), Run(ALNUM, 9, 9)],
    &[Text("glrt-"), Run(WORD, 20, ANY)],
    &[Text("glsoat-"), Run(WORD, 20, ANY)],
    &[Text("GR1348941"), Run(WORD, 20, ANY)],
    &[Text("_gitlab_session="), Run(ALNUM, 32, ANY)],
    // Google
    &[Text("AIza"), Run(WORD, 35, 35)],
    // Grafana, Harness, HashiCorp, Heroku, Hugging Face
    &[Text("eyJrIjoi"), Run(BASE64, 40, ANY)],
    &[Text("glc_"), Run(BASE64, 32, ANY)],
    &[Text("glsa_"), Run(ALNUM, 32, 32), Text("_"), Run(HEX, 8, ANY)],
    &[Text("pat."), Run(WORD, 22, 22), Text("."), Run(ALNUM, 24, 24), Text("."), Run(ALNUM, 20, ANY)],
    &[Text("sat."), Run(WORD, 22, 22), Text("."), Run(ALNUM, 24, 24), Text("."), Run(ALNUM, 20, ANY)],
    &[Run(ALNUM, 14, 14), Text(".atlasv1."), Run(WORD.and("="), 60, ANY)],
    &[Text("hvs."), Run(WORD, 90, ANY)],
    &[Text("hvb."), Run(WORD, 138, ANY)],
    &[Text("HRKU-AA"), Run(WORD, 58, ANY)],
    &[Text("hf_"), Run(ALNUM, 34, ANY)],
    &[Text("api_org_"), Run(ALNUM, 34, ANY)],
    // Infracost, 42, JSON Web Tokens
    &[Text("ico-"), Run(ALNUM, 32, ANY)],
    &[Text("s-s4t2ud-"), Run(HEX, 64, ANY)],
    &[Text("s-s4t2af-"), Run(HEX, 64, ANY)],
    &[Text("eyJ"), Run(WORD, 8, HEADER), Text("."), Run(WORD, 8, 16 * HEADER), Text("."), Run(WORD.and("/="), 0, ANY)],
    &[Text("ZXlK"), Run(BASE64, 40, ANY)],
    // Linear, Lob, Mailchimp, Mailgun, Mapbox, MaxMind
    &[Text("lin_api_"), Run(ALNUM, 40, ANY)],
    &[Text("live_"), Run(HEX, 35, 35)],
    &[Text("test_"), Run(HEX, 35, 35)],
    &[Run(HEX, 32, 32), Text("-us"), Run(DIGITS, 1, 2)],
    &[Text("key-"), Run(HEX, 32, 32)],
    &[Text("pubkey-"), Run(HEX, 32, 32)],
    &[Text("pk."), Run(ALNUM, 60, 60), Text("."), Run(ALNUM, 22, ANY)],
    &[Run(ALNUM, 6, 6), Text("_"), Run(ALNUM, 29, 29), Text("_mmk")],
    // Microsoft Teams, New Relic, Notion, npm, Octopus, OpenShift
    &[Text("webhook.office.com/webhookb2/"), Run(WORD.and("@/"), 80, ANY)],
    &[Text("NRAK-"), Run(ALNUM, 27, ANY)],
    &[Text("NRII-"), Run(WORD, 32, ANY)],
    &[Text("NRJS-"), Run(HEX, 19, ANY)],
    &[Text("ntn_"), Run(ALNUM, 46, ANY)],
    &[Text("npm_"), Run(ALNUM, 36, ANY)],
    &[Text("API-"), Run(CAPITALS, 26, 26)],
    &[Text("sha256~"), Run(WORD, 43, ANY)],
    // Perplexity, Plaid, PlanetScale, Postman, Prefect, Pulumi, PyPI
    &[Text("pplx-"), Run(ALNUM, 48, ANY)],
    &[Text("access-sandbox-"), Run(HEX.and("-"), 36, 36)],
    &[Text("access-development-"), Run(HEX.and("-"), 36, 36)],
    &[Text("access-production-"), Run(HEX.and("-"), 36, 36)],
    &[Text("pscale_tkn_"), Run(DOTTED, 32, ANY)],
    &[Text("pscale_oauth_"), Run(DOTTED, 32, ANY)],
    &[Text("pscale_pw_"), Run(DOTTED, 32, ANY)],
    &[Text("PMAK-"), Run(HEX, 24, 24), Text("-"), Run(HEX, 34, ANY)],
    &[Text("pnu_"), Run(ALNUM, 36, ANY)],
    &[Text("pul-"), Run(HEX, 40, ANY)],
    &[Text("pypi-AgE"), Run(WORD, 60, ANY)],
    // ReadMe, RubyGems, Scalingo, SendGrid, Sendinblue, Sentry, SettleMint
    &[Text("rdme_"), Run(ALNUM, 70, ANY)],
    &[Text("rubygems_"), Run(HEX, 48, ANY)],
    &[Text("tk-us-"), Run(WORD, 48, ANY)],
    &[Text("SG."), Run(DOTTED, 66, ANY)],
    &[Text("xkeysib-"), Run(HEX, 64, 64), Text("-"), Run(ALNUM, 16, ANY)],
    &[Text("sntrys_eyJ"), Run(BASE64.and("_"), 60, ANY)],
    &[Text("sntryu_"), Run(HEX, 64, ANY)],
    &[Text("sm_aat_"), Run(ALNUM, 16, ANY)],
    &[Text("sm_pat_"), Run(ALNUM, 16, ANY)],
    &[Text("sm_sat_"), Run(ALNUM, 16, ANY)],
    // Shippo, Shopify, Slack, SonarQube, Sourcegraph, Square, Stripe
    &[Text("shippo_live_"), Run(HEX, 40, ANY)],
    &[Text("shippo_test_"), Run(HEX, 40, ANY)],
    &[Text("shpat_"), Run(ALNUM, 32, ANY)],
    &[Text("shpca_"), Run(ALNUM, 32, ANY)],
    &[Text("shppa_"), Run(ALNUM, 32, ANY)],
    &[Text("shpss_"), Run(ALNUM, 32, ANY)],
    &[Text("xapp-"), Run(WORD, 10, ANY)],
    &[Text("xoxa-"), Run(WORD, 8, ANY)],
    &[Text("xoxb-"), Run(WORD, 10, ANY)],
    &[Text("xoxe-"), Run(WORD, 10, ANY)],
    &[Text("xoxo-"), Run(WORD, 10, ANY)],
    &[Text("xoxp-"), Run(WORD, 10, ANY)],
    &[Text("xoxr-"), Run(WORD, 8, ANY)],
    &[Text("xoxs-"), Run(WORD, 10, ANY)],
    &[Text("hooks.slack.com/"), Run(WORD.and("/"), 40, ANY)],
    &[Text("squ_"), Run(ALNUM, 40, ANY)],
    &[Text("sqp_"), Run(ALNUM, 40, ANY)],
    &[Text("sqa_"), Run(ALNUM, 40, ANY)],
    &[Text("sgp_"), Run(WORD, 40, ANY)],
    &[Text("sq0atp-"), Run(WORD, 22, ANY)],
    &[Text("sk_test_"), Run(ALNUM, 10, ANY)],
    &[Text("sk_live_"), Run(ALNUM, 10, ANY)],
    &[Text("sk_prod_"), Run(ALNUM, 10, ANY)],
    &[Text("rk_test_"), Run(ALNUM, 10, ANY)],
    &[Text("rk_live_"), Run(ALNUM, 10, ANY)],
    &[Text("rk_prod_"), Run(ALNUM, 10, ANY)],
    // Telegram, Twilio, Typeform, Yandex
    &[Run(DIGITS, 5, 16), Text(":A"), Run(WORD, 34, 34)],
    &[Text("SK"), Run(HEX, 32, 32)],
    &[Text("tfp_"), Run(DOTTED, 59, ANY)],
    &[Text("AQVN"), Run(WORD, 35, 38)],
    &[Text("YC"), Run(WORD, 38, 38)],
    // Services that gitleaks, the predecessor of Betterleaks, did not have
    &[Text("AIK_CI_"), Run(ALNUM, 20, ANY)],
    &[Text("AIK_SECRET_"), Run(ALNUM, 64, ANY)],
    &[Text("STS."), Run(ALNUM, 16, ANY)],
    &[Text("CAIS"), Run(DOTTED.and("/+"), 100, ANY)],
    &[Text("apify_api_"), Run(ALNUM, 34, ANY)],
    &[Text("$aact_prod_"), Run(WORD, 20, ANY)],
    &[Text("$aact_hmlg_"), Run(WORD, 20, ANY)],
    &[Text("BSA"), Run(WORD, 24, 40)],
    &[Text("bkaa_"), Run(WORD, 75, ANY)],
    &[Text("bkaj_"), Run(WORD, 333, ANY)],
    &[Text("bkar_"), Run(WORD, 73, ANY)],
    &[Text("bkct_"), Run(WORD, 73, ANY)],
    &[Text("bkpt_"), Run(WORD, 199, ANY)],
    &[Text("bkpat_"), Run(WORD, 54, ANY)],
    &[Text("bkps_"), Run(WORD, 64, ANY)],
    &[Text("bkua_"), Run(ALNUM, 40, ANY)],
    &[Text("gcntfy-"), Run(WORD, 74, ANY)],
    &[Text("cnvca"), Run(WORD, 51, ANY)],
    &[Text("csk-"), Run(ALNUM, 48, ANY)],
    &[Text("CCIPAT_"), Run(ALNUM, 22, 22), Text("_"), Run(ALNUM, 40, ANY)],
    &[Text("pk_"), Run(DIGITS, 7, 9), Text("_"), Run(ALNUM, 32, ANY)],
    &[Text("csa_"), Run(ALNUM, 36, ANY)],
    &[Text("CCDB1_"), Run(ALNUM, 22, 22), Text("_"), Run(ALNUM, 40, ANY)],
    &[Text("configcat-sdk-1/"), Run(WORD, 22, 22), Text("/"), Run(WORD, 22, ANY)],
    &[Text("cio"), Run(ALNUM, 32, 32)],
    &[Text("key_"), Run(HEX, 64, ANY)],
    &[Text("AstraCS:"), Run(DOTTED.and(":"), 20, ANY)],
    &[Text("ddp_"), Run(ALNUM, 36, ANY)],
    &[Text("dvc_client_"), Run(WORD, 8, ANY)],
    &[Text("dvc_mobile_"), Run(WORD, 8, ANY)],
    &[Text("dvc_server_"), Run(WORD, 8, ANY)],
    &[Text("apk_user_"), Run(BASE64, 120, ANY)],
    &[Text("apk_"), Run(BASE64, 80, ANY)],
    &[Text("cog_"), Run(ALNUM, 52, ANY)],
    &[Text("SWMTKN-1-"), Run(ALNUM, 50, 60), Text("-"), Run(ALNUM, 24, ANY)],
    &[Text("SWMKEY-1-"), Run(BASE64, 40, ANY)],
    &[Text("dckr_oat_"), Run(WORD, 32, ANY)],
    &[Text("dckr_pat_"), Run(WORD, 27, ANY)],
    &[Text("essu_"), Run(WORD.and("="), 60, ANY)],
    &[Text("sk_"), Run(HEX, 48, ANY)],
    &[Text("EXO"), Run(ALNUM, 24, 30)],
    &[Text("figd_"), Run(WORD, 38, ANY)],
    &[Text("AQ.Ab8RN6"), Run(WORD, 44, ANY)],
    &[Text("gsk_"), Run(ALNUM, 52, ANY)],
    &[Text("ion_"), Run(ALNUM, 42, ANY)],
    &[Text("lsv2_pt_"), Run(HEX, 32, 32), Text("_"), Run(HEX, 10, ANY)],
    &[Text("lsv2_sk_"), Run(HEX, 32, 32), Text("_"), Run(HEX, 10, ANY)],
    &[Text("lip_"), Run(ALNUM, 16, ANY)],
    &[Text("mlsn."), Run(ALNUM, 30, ANY)],
    &[Text("mercury_production_"), Run(WORD, 50, ANY)],
    &[Text("mergify_application_key_"), Run(WORD, 40, ANY)],
    &[Text("mdb_sa_sk_"), Run(WORD, 40, ANY)],
    &[Text("napi_"), Run(ALNUM, 64, ANY)],
    &[Text("nvapi-"), Run(WORD, 60, ANY)],
    &[Text("os_v2_app_"), Run(ALNUM, 103, ANY)],
    &[Text("os_v2_org_"), Run(ALNUM, 103, ANY)],
    &[Text("api_live."), Run(WORD, 20, ANY)],
    &[Text("api_live_ca."), Run(WORD, 20, ANY)],
    &[Text("api_live_us."), Run(WORD, 20, ANY)],
    &[Text("sk-api-"), Run(WORD, 119, ANY)],
    &[Text("sk-or-v1-"), Run(HEX, 64, ANY)],
    &[Text("pdl_live_apikey_"), Run(WORD, 53, ANY)],
    &[Text("persona_production_"), Run(WORD, 20, ANY)],
    &[Text("pcsk_"), Run(ALNUM, 5, 6), Text("_"), Run(ALNUM, 63, ANY)],
    &[Text("pina_"), Run(WORD, 20, ANY)],
    &[Text("polar_at_"), Run(WORD, 20, ANY)],
    &[Text("polar_oat_"), Run(WORD, 20, ANY)],
    &[Text("polar_pat_"), Run(WORD, 20, ANY)],
    &[Text("phx_"), Run(WORD, 41, ANY)],
    &[Text("phc_"), Run(WORD, 41, ANY)],
    &[Text("prf_"), Run(WORD, 20, ANY)],
    &[Text("ramp_sec_"), Run(ALNUM, 48, ANY)],
    &[Text("rpa_"), Run(ALNUM, 30, ANY)],
    &[Text("rnd_"), Run(ALNUM, 28, ANY)],
    &[Text("r8_"), Run(ALNUM, 37, ANY)],
    &[Text("rootly_"), Run(HEX, 64, ANY)],
    &[Text("00"), Run(ALNUM, 13, 13), Text("!"), Run(DOTTED, 80, ANY)],
    &[Text("samsara_api_"), Run(ALNUM, 26, ANY)],
    &[Text("xoxc-"), Run(WORD, 10, ANY)],
    &[Text("xoxd-"), Run(BASE64.and("_-%"), 10, ANY)],
    &[Text("sbp_"), Run(WORD, 40, ANY)],
    &[Text("sb_secret_"), Run(WORD, 31, ANY)],
    &[Text("tskey-api-"), Run(WORD, 20, ANY)],
    &[Text("tgp_v1_"), Run(WORD, 43, ANY)],
    &[Text("tss_"), Run(WORD, 20, ANY)],
    &[Text("unkey_"), Run(ALNUM, 20, ANY)],
    &[Text("ucat_"), Run(ALNUM, 24, ANY)],
    &[Text("vtwn_"), Run(WORD, 20, ANY)],
    &[Text("vca_"), Run(WORD, 56, ANY)],
    &[Text("vci_"), Run(WORD, 56, ANY)],
    &[Text("vck_"), Run(WORD, 56, ANY)],
    &[Text("vcp_"), Run(WORD, 56, ANY)],
    &[Text("vcr_"), Run(WORD, 56, ANY)],
    &[Text("waka_"), Run(ALNUM, 36, ANY)],
    &[Text("wandb_v1_"), Run(WORD, 77, ANY)],
    &[Text("xai-"), Run(WORD, 70, ANY)],
    &[Text("zpka_"), Run(ALNUM, 32, 32), Text("_"), Run(HEX, 8, ANY)],
    // Services that only Kingfisher has
    &[Text("aio_"), Run(ALNUM, 28, ANY)],
    &[Text("AKC"), Run(ALNUM, 64, 74)],
    &[Text("ak_live_"), Run(ALNUM, 30, ANY)],
    &[Text("CFPAT-"), Run(WORD, 43, ANY)],
    &[Text("odt_"), Run(ALNUM, 32, ANY)],
    &[Run(WORD, 24, 24), Text("."), Run(WORD, 6, 6), Text("."), Run(WORD, 27, 27)],
    &[Text("discord.com/api/webhooks/"), Run(DIGITS, 18, 20), Text("/"), Run(WORD, 60, ANY)],
    &[Text("dp.audit."), Run(ALNUM, 40, ANY)],
    &[Text("dp.ct."), Run(ALNUM, 40, ANY)],
    &[Text("dp.sa."), Run(ALNUM, 40, ANY)],
    &[Text("dp.scim."), Run(ALNUM, 40, ANY)],
    &[Text("dp.st."), Run(DOTTED, 40, ANY)],
    &[Text("flb_live_"), Run(ALNUM, 20, ANY)],
    &[Text("shltm_"), Run(WORD, 40, ANY)],
    &[Text("GOCSPX-"), Run(WORD, 28, ANY)],
    &[Text("ya29."), Run(DOTTED, 20, ANY)],
    &[Text("pat-na1-"), Run(HEX.and("-"), 36, 36)],
    &[Text("pat-eu1-"), Run(HEX.and("-"), 36, 36)],
    &[Text("oy2"), Run(ALNUM, 43, 43)],
    &[Text("slk_"), Run(HEX, 64, ANY)],
    &[Text("sq0csp-"), Run(WORD, 43, ANY)],
    &[Text("hawk."), Run(WORD, 20, 20), Text("."), Run(WORD, 20, ANY)],
    &[Text("tskey-"), Run(WORD, 20, ANY)],
    &[Text("AC"), Run(HEX, 32, 32)],
    &[Text("BBFF-"), Run(ALNUM, 30, ANY)],
    &[Text("hooks.zapier.com/hooks/catch/"), Run(WORD.and("/"), 16, ANY)],
    &[Text("1000."), Run(HEX, 32, 32), Text("."), Run(HEX, 32, ANY)],
    // Services that neither has: from Cloudflare's documentation of token
    // formats, and from GitHub's changelog of 2026-04-24 on installation tokens
    &[Text("cfk_"), Run(ALNUM, 48, ANY)],
    &[Text("cfut_"), Run(ALNUM, 48, ANY)],
    &[Text("cfat_"), Run(ALNUM, 48, ANY)],
    &[Text("ghs_"), Run(DIGITS, 1, 20), Text("_"), Run(WORD, 8, HEADER), Text("."), Run(WORD, 8, 16 * HEADER), Text("."), Run(WORD, 8, ANY)],
];

/// The formats, by the first byte of a token.
static BY_FIRST: LazyLock<Vec<Vec<&[Part]>>> = LazyLock::new(|| {
    let can_begin = |shape: &[Part], byte: u8| match shape.first() {
        Some(Text(text)) => text.as_bytes()[0] == byte,
        Some(Run(alphabet, ..)) => alphabet.has(byte),
        None => false,
    };
    let all = |byte| SHAPES.iter().copied().filter(move |it| can_begin(it, byte));
    (0..=u8::MAX).map(|byte| all(byte).collect()).collect()
});

/// Returns the end of the token that begins at `start`, if there is one.
pub(super) fn token_end(bytes: &[u8], start: usize) -> Option<usize> {
    let shapes = &BY_FIRST[usize::from(bytes[start])];
    shapes.iter().find_map(|shape| end(shape, bytes, start))
}

fn end(shape: &[Part], bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start;
    // The end of a run of lower-case letters, which is part of a name.
    let mut name_ends = start;
    for (number, part) in shape.iter().enumerate() {
        let rest = &bytes[at..];
        at += match *part {
            Text(text) => rest.starts_with(text.as_bytes()).then_some(text.len())?,
            Run(alphabet, least, most) => {
                let fits = rest.iter().take(most).take_while(|&&it| alphabet.has(it));
                Some(fits.count()).filter(|&count| count >= least)?
            }
        };
        if number == 0 && matches!(part, Text(_)) {
            let is_of_name = |byte: &&u8| byte.is_ascii_lowercase() || b"_-.".contains(*byte);
            let rest = bytes[at..].iter().take(LONGEST_NAME);
            let letters = rest.take_while(is_of_name).count();
            // Runs may be unbounded, so they are not scanned if the text is a
            // name.
            name_ends = match letters {
                0 => start,
                LONGEST_NAME => return None,
                _ => at + letters,
            };
        }
    }
    // A token that continues is part of a longer text.
    let continues = bytes.get(at).is_some_and(u8::is_ascii_alphanumeric);
    (!continues && name_ends < at).then_some(at)
}
