import { useQuery } from "@tanstack/react-query";
import { Redirect, useLocation } from "wouter";
import { openStep, setupQuery } from "@/data/setup";

/** Redirects the start page to the setup while there are steps that were neither done nor skipped. */
export function FirstRun() {
  const [path] = useLocation();
  const { data: setup } = useQuery({ ...setupQuery, enabled: path === "/" });
  return path === "/" && openStep(setup) ? <Redirect to="/setup" replace /> : null;
}
