// Draws the diagram that the page around this frame sends, and says how high it is. The frame has no origin of its own, so
// what it draws can reach neither the page nor the API. src/features/citations/markdown/Diagram.tsx is the other side.
(() => {
  // Of the frame's address, which is the page's, too; `self.origin` is "null" here.
  const page = location.origin;
  const send = (message) => parent.postMessage(message, page);

  async function draw({ code, isDark }) {
    mermaid.initialize({
      startOnLoad: false,
      securityLevel: "strict",
      htmlLabels: false,
      flowchart: { htmlLabels: false },
      theme: isDark ? "dark" : "default",
      maxTextSize: 50_000,
      maxEdges: 500,
      suppressErrorRendering: true,
      fontFamily: "ui-sans-serif, system-ui, sans-serif",
    });
    const { svg } = await mermaid.render("diagram", code);
    document.body.innerHTML = svg;
    send({ kind: "drawn", height: Math.ceil(document.body.getBoundingClientRect().height) });
  }

  addEventListener("message", (event) => {
    if (event.source !== parent || event.origin !== page) return;
    draw(event.data).catch((error) => send({ kind: "failed", reason: String(error?.message ?? error).slice(0, 500) }));
  });
  new ResizeObserver(() => {
    if (document.body.firstElementChild) send({ kind: "drawn", height: Math.ceil(document.body.getBoundingClientRect().height) });
  }).observe(document.body);
  send({ kind: "ready" });
})();
