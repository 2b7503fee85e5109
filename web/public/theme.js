// Runs before the first paint, so that a chosen theme or density does not flash. src/ui/theme.ts and density.ts write the choices.
(() => {
  const theme = localStorage.getItem("echomind.theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  if (localStorage.getItem("echomind.density") === "compact") document.documentElement.dataset.density = "compact";
})();
