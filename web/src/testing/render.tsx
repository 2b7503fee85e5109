import { i18n } from "@lingui/core";
import { I18nProvider } from "@lingui/react";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, type RenderResult } from "@testing-library/react";
import type { ReactNode } from "react";

/** Renders part of a page within the providers of every page: a language and a query cache. */
export function renderInApp(children: ReactNode, client = new QueryClient({ defaultOptions: { queries: { retry: false } } })): RenderResult {
  return render(
    <I18nProvider i18n={i18n}>
      <QueryClientProvider client={client}>{children}</QueryClientProvider>
    </I18nProvider>,
  );
}
