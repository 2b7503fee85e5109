/** Runs before each test file: texts are in English, as in the code. */
import { i18n } from "@lingui/core";

i18n.loadAndActivate({ locale: "en", messages: {} });
