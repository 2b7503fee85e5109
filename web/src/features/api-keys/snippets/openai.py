from openai import OpenAI

client = OpenAI(base_url="ECHOMIND_ADDRESS/v1", api_key="API_KEY")
answer = client.responses.create(model="MODEL", input="How do I make a backup?")
print(answer.output_text)
