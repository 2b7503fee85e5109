import { i18n } from "@lingui/core";
import { I18nProvider } from "@lingui/react";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app/App";
import { keepPartsOffline } from "./app/service-worker";
import { activateLocale } from "./ui/locale";
import { logUnlessMissing, noteMissingParts } from "./ui/missing-parts";
import "./ui/base.css";

const root = document.getElementById("root");
if (!root) throw new Error("index.html has no #root");
noteMissingParts();
keepPartsOffline();
await activateLocale();
createRoot(root, { onCaughtError: logUnlessMissing }).render(
  <StrictMode>
    <I18nProvider i18n={i18n}>
      <App />
    </I18nProvider>
  </StrictMode>,
);
