/** Which parts of the pages may import which; run by `npm run lint`. */

/** The layers, the lowest first: each imports only itself and those before it. */
const LAYERS = ["ui", "api", "data", "features", "app"];

const layers = LAYERS.slice(0, -1).map((layer, index) => ({
  name: `${layer}-imports-downwards`,
  comment: `src/${layer} is below ${LAYERS.slice(index + 1).join(", ")}.`,
  severity: "error",
  from: { path: `^src/${layer}/` },
  to: { path: `^src/(${LAYERS.slice(index + 1).join("|")})/` },
}));

export default {
  forbidden: [
    {
      name: "no-circles",
      comment: "Modules that need each other are one module, or have a third one to take out. Imports of types count, too.",
      severity: "error",
      from: {},
      to: { circular: true },
    },
    {
      name: "features-by-their-front",
      comment: "Of another feature only the files directly in its folder are to be used; its subfolders are its own.",
      severity: "error",
      from: { path: "^src/(?:features/([^/]+)|app)/" },
      to: { path: "^src/features/([^/]+)/[^/]+/", pathNot: "^src/features/$1/" },
    },
    { name: "ui-knows-no-api", severity: "error", from: { path: "^src/ui/" }, to: { path: "^src/gen/" } },
    ...layers,
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsConfig: { fileName: "tsconfig.json" },
    // Imports of types, too.
    tsPreCompilationDeps: true,
  },
};
