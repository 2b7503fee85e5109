import { expect, test } from "vitest";
import { renderInApp } from "@/testing/render";
import { hasMath, withDollars } from "./dollars";
import { Markdown } from "./Markdown";

const MATH = [
  "$x$", "$n$", "$2n$", "$-x$", "$xy$", "$f(x)$", "$g(x, y)$", "$x'$", "$3$", "$50%$", "$0.05$", "$x^2$", "$x_1$", "$a_{ij}$", "$e^{x}$",
  "$E = mc^2$", "$a^2 + b^2 = c^2$", "$PV = nRT$", "$F = ma$", "$y = mx + b$", "$n \\to \\infty$", "$\\alpha$", "$\\frac{a}{b}$",
  "$\\sqrt{2}$", "$\\sum_{i=1}^n i$", "$\\int_0^1 x\\,dx$", "$O(n^2)$", "$O(n \\log n)$", "$x < 5$", "$x > y$", "$a \\le b$", "$p = 0.05$",
  "$p < 0.05$", "$\\text{speed of light} = c$", "$\\{1, 2, 3\\}$", "$|x|$", "$n!$", "$x + y$", "$x - y$", "$a/b$", "$2 + 2 = 4$",
  "$1 + 1$", "$10^6$", "$10^{-3}$", "$\\pi r^2$", "$2\\pi$", "$\\mathbb{R}$", "$x \\in \\mathbb{R}$", "$\\vec{v}$", "$\\Delta t$", "$v_{max}$",
  "$\\lambda = h/p$", "$A \\cup B$", "$\\neg p$", "$\\forall x$", "$i^2 = -1$", "$sin(x) = 0$", "$log(n)$", "$x = \\$5$", "$r=0.9$",
].map((math) => `So ${math} holds.`);

const MONEY = [
  "$5 and $6", "from $5 to $10", "$5-$10", "$5–$10", "$5/$10", "$5, $6", "$5 or $6", "($5), ($6)", "**$5** and **$6**", "$1,000 and $2,000",
  "$1.50 and $2.50", "$5M and $6M", "$5k to $10k", "5$ and 6$", "5 $ and 6 $", "US$5 and US$6", "CA$5 or A$6", "$5 (or 6$)", "Is it $20? No, 30$.",
  "$20 + $5 = $25", "$20 - $5", "$20 × 3 = $60", "$5 < $6", "$5 per month, $50 per year", "$5/month or $50/year", "-$5 and -$6", "+$5, +$6",
  "$5.", "only $5", "$", "$ and $", "$HOME and $PATH", "$HOME/$PATH", "$HOME:$PATH", "$USER$", "`$x$` is code", "`$a` and $5", "| $5 | $6 |",
  "- $5\n- $6", "$5\n$6", "$5\n\n$6", "\\$5 and \\$6", "\\$x\\$", "$5 [1] and $6 [2]", "$1 billion and $2 billion", "$3 million, $4 million",
  "a $5 fee and a $6 fee", "$100 (USD) vs. $90 (EUR)", "\"$5\" and \"$6\"", "'$5' or '$6'", "costs $5; sells at $6", "$5: cheap. $6: dear", "$5!! $6!!",
  "pay $5 now, the rest 10$", "$12.99/kg and $3.49/lb", "$0 and $0.00", "between $1 and $2 = cheap", "$5 to 6$ a day", "A$ or C$", "$19.99 (was $29.99)",
];

test("there are sixty examples of each", () => {
  expect([MATH.length, MONEY.length]).toEqual([60, 60]);
});

test.each(MATH)("%s is math", (text) => {
  expect(hasMath(text)).toBe(true);
  expect(withDollars(text)).toBe(text);
});

test.each(MONEY)("%s is money", (text) => {
  expect(hasMath(text)).toBe(false);
});

test("delimiters keep their length, and both kinds may be in one text", async () => {
  expect(withDollars("a \\(x\\) \\[y\\]")).toBe("a $$x$$ $$y$$");
  const text = "With $x$ it costs $5 or `$6`, see [$7](/chat?p=$8), not $9.";
  expect(withDollars(text)).toHaveLength(text.length);
  const { container, findByText } = renderInApp(<Markdown content={text} citations={[]} />);
  await findByText("With", { exact: false });
  await expect.poll(() => container.querySelectorAll("math"), { timeout: 20_000 }).toHaveLength(1);
  expect(container.textContent).toContain("it costs $5 or $6, see $7, not $9.");
  expect(container.querySelector("a")?.getAttribute("href")).toBe("/chat?p=$8");
});
