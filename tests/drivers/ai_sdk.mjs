// Asks by Vercel's AI SDK, with a tool of the program, and prints what it was answered as JSON, for each way to ask.
// It gets the address, the key, the model, the ways (the package, and whether to stream) and the prompt as one argument in
// JSON.
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, jsonSchema, stepCountIs, streamText, tool } from "ai";

const { baseURL, apiKey, model, ways, prompt } = JSON.parse(process.argv[1]);
const models = {
  responses: () => createOpenAI({ baseURL, apiKey }).responses(model),
  chat: () => createOpenAI({ baseURL, apiKey }).chat(model),
  compatible: () =>
    createOpenAICompatible({ name: "echomind", baseURL, apiKey, includeUsage: true }).chatModel(model),
};

async function ask({ kind, isStream }) {
  const given = [];
  const asked = {
    model: models[kind](),
    prompt,
    maxRetries: 0,
    stopWhen: stepCountIs(3),
    tools: {
      get_weather: tool({
        description: "Returns the weather of a city.",
        inputSchema: jsonSchema({
          type: "object",
          properties: { city: { type: "string" } },
          required: ["city"],
          additionalProperties: false,
        }),
        execute: async (input) => {
          given.push(input);
          return "It is raining.";
        },
      }),
    },
  };
  let text = "";
  const errors = [];
  const answer = isStream
    ? streamText({ ...asked, onError: ({ error }) => errors.push(String(error)) })
    : await generateText(asked);
  if (isStream) for await (const piece of answer.textStream) text += piece;
  else text = answer.text;
  const sources = (await answer.sources).map(({ sourceType, url, title, filename }) => ({
    sourceType,
    url,
    title,
    filename,
  }));
  const usage = await answer.totalUsage;
  return { kind, isStream, text, given, sources, errors, usage, finishReason: await answer.finishReason };
}

const answers = [];
for (const way of ways) answers.push(await ask(way));
console.log(JSON.stringify(answers));
