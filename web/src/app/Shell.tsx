import { Trans } from "@lingui/react/macro";
import { useEffect, useMemo, useRef, type RefObject } from "react";
import { Redirect, Route, Switch, useLocation } from "wouter";
import { useAppearance } from "@/data/preferences";
import { hasRole, useCurrentUser } from "@/data/users";
import { ChatPage } from "@/features/chat/ChatPage";
import { LiveUpdates } from "@/features/inbox/LiveUpdates";
import { ForgetPrompt } from "@/features/memories/ForgetPrompt";
import { ConnectionBanner } from "@/ui/ConnectionBanner";
import { takeFocus } from "@/ui/focus";
import { listenToShortcuts } from "@/ui/shortcuts";
import { Toasts } from "@/ui/toasts";
import { GlobalShortcuts } from "./GlobalShortcuts";
import { NotFoundPage } from "./NotFoundPage";
import { Rail } from "./Rail";
import { ROUTES } from "./routes";
import { SectionNav } from "./SectionNav";
import { isIn, sectionsOf } from "./sections";
import styles from "./Shell.module.css";

/** The frame around every page: navigation, and the page that the address names. */
export function Shell() {
  const user = useCurrentUser();
  const [path] = useLocation();
  const sections = useMemo(() => sectionsOf(user), [user]);
  const section = sections.all.find((one) => isIn(one, path));
  const routes = ROUTES.filter(({ role }) => !role || hasRole(user, role));
  const content = useRef<HTMLDivElement>(null);
  useFocusOnNavigation(content, path);
  useEffect(listenToShortcuts, []);
  useAppearance();
  return (
    <div className={styles.window}>
      <ConnectionBanner />
      <div className={styles.shell}>
        <a href="#content" className={styles.skip}>
          <Trans>Skip to content</Trans>
        </a>
        <Rail sections={sections} />
        <div className={styles.beside} data-row={section?.isRow || undefined}>
          {section?.pages && <SectionNav section={section} pages={section.pages} />}
          <div id="content" ref={content} className={styles.content} tabIndex={-1}>
            <Switch>
              <Route path="/">
                <ChatPage sessionId={undefined} />
              </Route>
              <Route path="/chat/:id">{({ id }) => <ChatPage sessionId={id} />}</Route>
              {routes.map((route) => (
                <Route key={route.path} path={route.path}>
                  {route.render}
                </Route>
              ))}
              {section?.pages?.[0] && (
                <Route path={section.href}>
                  <Redirect to={section.pages[0].href} replace />
                </Route>
              )}
              <Route>
                <NotFoundPage />
              </Route>
            </Switch>
          </div>
        </div>
      </div>
      <GlobalShortcuts sections={sections.all} />
      <LiveUpdates />
      <Toasts />
      <ForgetPrompt />
    </div>
  );
}

/**
 * Moves the focus to the page after navigation, so that keyboard and screen readers start there. A page that has set
 * the focus keeps it.
 */
function useFocusOnNavigation(content: RefObject<HTMLElement | null>, path: string): void {
  const shown = useRef(path);
  useEffect(() => {
    if (shown.current === path) return;
    shown.current = path;
    const element = content.current;
    if (element && !element.contains(document.activeElement)) takeFocus(element);
  }, [content, path]);
}
