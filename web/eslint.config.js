import js from "@eslint/js";
import jsxA11y from "eslint-plugin-jsx-a11y";
import reactHooks from "eslint-plugin-react-hooks";
import { defineConfig } from "eslint/config";
import tseslint from "typescript-eslint";

export default defineConfig(
  { ignores: ["dist", "src/gen", "public"] },
  js.configs.recommended,
  tseslint.configs.strictTypeChecked,
  jsxA11y.flatConfigs.strict,
  reactHooks.configs.flat["recommended-latest"],
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      "max-lines": ["error", { max: 250, skipBlankLines: true, skipComments: true }],
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
    },
  },
  {
    // The contract knows the paths of the API, and src/api how it is called.
    files: ["src/{app,data,features,ui}/**"],
    ignores: ["**/*.test.*"],
    rules: {
      "no-restricted-globals": ["error", "fetch", "XMLHttpRequest", "EventSource", "WebSocket"],
      "no-restricted-syntax": [
        "error",
        ...["Literal[value=/^\\u002f(api|auth)\\u002f/]", "TemplateElement[value.raw=/^\\u002f(api|auth)\\u002f/]"].map((selector) => ({
          selector,
          message: "Call the generated client, or a route of src/api/routes.ts.",
        })),
      ],
    },
  },
  { files: ["*.js"], extends: [tseslint.configs.disableTypeChecked] },
);
