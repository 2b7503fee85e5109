/** Runs before each test file: texts are in English, as in the code, also after a test that changed the language. */
import { i18n } from "@lingui/core";
import { beforeEach } from "vitest";

beforeEach(() => i18n.loadAndActivate({ locale: "en", messages: {} }));
