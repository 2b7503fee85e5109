import { transformAsync, types, type PluginObj } from "@babel/core";
import macros from "@lingui/babel-plugin-lingui-macro";
import { compileMessage } from "@lingui/message-utils/compileMessage";
import type { Plugin } from "vite";

/**
 * Turns the macros of Lingui into look-ups by key, each with its English text; TypeScript and JSX stay for Vite.
 *
 * So English needs no catalog, and each page comes with no other texts than its own. They are compiled here, because
 * the compiler of messages is larger than the texts of most pages.
 */
export function linguiMacros(): Plugin {
  return {
    name: "lingui-macros",
    enforce: "pre",
    transform: {
      filter: { id: /\/src\/.*\.tsx?$/, code: /@lingui\/(?:core|react)\/macro/ },
      async handler(code, id) {
        const result = await transformAsync(code, {
          filename: id,
          babelrc: false,
          configFile: false,
          sourceMaps: true,
          parserOpts: { plugins: ["typescript", "jsx"] },
          plugins: [[macros, { stripMessageField: false }], compiledMessages],
        });
        if (!result?.code) throw new Error(`Babel made nothing of ${id}.`);
        return { code: result.code, map: result.map };
      },
    },
  };
}

/** Compiles the messages of what the macros have made. */
function compiledMessages(): PluginObj {
  return {
    visitor: {
      ObjectExpression({ node }) {
        if (!node.leadingComments?.some((comment) => comment.value === "i18n")) return;
        for (const property of node.properties) {
          if (types.isObjectProperty(property) && types.isIdentifier(property.key, { name: "message" }) && types.isStringLiteral(property.value)) {
            property.value = types.valueToNode(compileMessage(property.value.value));
          }
        }
      },
    },
  };
}
