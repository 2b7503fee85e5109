// Runs before the first paint, so that a chosen theme does not flash. The choice is written by src/ui/theme.ts.
(() => {
  const theme = localStorage.getItem("echomind.theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
})();
