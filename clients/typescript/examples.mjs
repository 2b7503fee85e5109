/**
 * What a program does most: ask, follow an answer, search, list, and handle errors.
 *
 *     npm install @echomind/client
 *     KEY=$(echomind keys add examples) node examples.mjs
 */
import { ApiError, deleteDocument, downloadDocument, EchoMind, getRun, listChatSessions, search, streamMessage, uploadDocuments } from "@echomind/client";

const client = new EchoMind({ url: process.env.ECHOMIND_URL ?? "http://127.0.0.1:8080", apiKey: process.env.KEY ?? "" });

const [document] = await uploadDocuments(client, [new File(["The bicycle shed is behind the canteen."], "shed.txt")]);
console.log(`downloaded: ${await (await downloadDocument(client, document.id)).text()}`);
await deleteDocument(client, { id: document.id });

const { hits = [] } = await search(client, { query: "paid leave" });
console.log(`passages: ${hits.length}`);

// `-` stands for a new conversation.
for await (const event of await streamMessage(client, { chatSessionId: "-", content: "How many days of paid leave do I get?" })) {
  if (event.finished?.message) console.log(`answer: ${event.finished.message.content}`);
}

const { chatSessions = [] } = await listChatSessions(client, { pageSize: 50 });
console.log(`conversations: ${chatSessions.length}`);

try {
  await getRun(client, { id: "00000000-0000-7000-8000-000000000000" });
} catch (error) {
  if (!(error instanceof ApiError)) throw error;
  console.log(`refused: ${error.reason}`);
}
