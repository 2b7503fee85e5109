/** Runs before each file of tests: the texts are those in the code, in English. */
import { i18n } from "@lingui/core";

i18n.loadAndActivate({ locale: "en", messages: {} });
