import { FileText, MessageSquare, Settings, ShieldUser } from "lucide-react";
import { lazy, Suspense, type ReactNode } from "react";
import { Link, Redirect, Route, Switch, useLocation } from "wouter";
import { useCurrentUser } from "@/data/users";
import { ChatPage } from "@/features/chat/ChatPage";
import { Logo } from "@/ui/Logo";
import { Spinner } from "@/ui/Spinner";
import { SectionNav } from "./SectionNav";
import { administrationOf, SETTINGS } from "./sections";
import { UserMenu } from "./UserMenu";
import styles from "./Shell.module.css";

const DocumentsPage = lazy(async () => ({ default: (await import("@/features/documents/DocumentsPage")).DocumentsPage }));
const DocumentPage = lazy(async () => ({ default: (await import("@/features/documents/DocumentPage")).DocumentPage }));
const AccountPage = lazy(async () => ({ default: (await import("@/features/users/AccountPage")).AccountPage }));
const ApiKeysPage = lazy(async () => ({ default: (await import("@/features/api-keys/ApiKeysPage")).ApiKeysPage }));
const PeoplePage = lazy(async () => ({ default: (await import("@/features/users/PeoplePage")).PeoplePage }));
const ModelsPage = lazy(async () => ({ default: (await import("@/features/llms/ModelsPage")).ModelsPage }));

/** The pages of sections by their address. */
const PAGES: Readonly<Record<string, ReactNode>> = {
  "/settings/account": <AccountPage />,
  "/settings/api-keys": <ApiKeysPage />,
  "/admin/people": <PeoplePage />,
  "/admin/models": <ModelsPage />,
};

/** The frame around every page: navigation, and the page that the address names. */
export function Shell() {
  const administration = administrationOf(useCurrentUser());
  return (
    <div className={styles.shell}>
      <a href="#content" className={styles.skip}>
        Skip to content
      </a>
      <nav className={styles.rail} aria-label="Main">
        <Link href="/" className={styles.logo} aria-label="EchoMind, start page">
          <Logo size={30} />
        </Link>
        <RailLink href="/" section={/^\/(chat|$)/} icon={<MessageSquare size={20} />} label="Chat" />
        <RailLink href="/documents" section={/^\/documents/} icon={<FileText size={20} />} label="Documents" />
        <div className={styles.space} />
        {administration.length > 0 && (
          <RailLink href="/admin" section={/^\/admin/} icon={<ShieldUser size={20} />} label="Admin" />
        )}
        <RailLink href="/settings" section={/^\/settings/} icon={<Settings size={20} />} label="Settings" />
        <UserMenu />
      </nav>
      <div id="content" className={styles.content} tabIndex={-1}>
        <Suspense fallback={<Spinner label="Loading the page" />}>
          <Switch>
            <Route path="/">
              <ChatPage sessionId={undefined} />
            </Route>
            <Route path="/chat/:id">{({ id }) => <ChatPage sessionId={id} />}</Route>
            <Route path="/documents">
              <DocumentsPage />
            </Route>
            <Route path="/documents/:id">{({ id }) => <DocumentPage key={id} id={id} />}</Route>
            {[...SETTINGS, ...administration].map(({ href }) => (
              <Route key={href} path={href}>
                {href.startsWith("/settings") ? (
                  <SectionNav label="Settings" pages={SETTINGS} />
                ) : (
                  <SectionNav label="Administration" pages={administration} />
                )}
                {PAGES[href]}
              </Route>
            ))}
            <Route path="/settings">
              <Redirect to="/settings/account" replace />
            </Route>
            {administration[0] && (
              <Route path="/admin">
                <Redirect to={administration[0].href} replace />
              </Route>
            )}
            <Route>
              <Redirect to="/" replace />
            </Route>
          </Switch>
        </Suspense>
      </div>
    </div>
  );
}

interface RailLinkProps {
  href: string;
  /** The addresses that belong to it. */
  section: RegExp;
  icon: ReactNode;
  label: string;
}

function RailLink({ href, section, icon, label }: RailLinkProps) {
  const [path] = useLocation();
  return (
    <Link href={href} className={styles.link} aria-current={section.test(path) ? "page" : undefined}>
      {icon}
      <span>{label}</span>
    </Link>
  );
}
