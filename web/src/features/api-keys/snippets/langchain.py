from langchain_openai import ChatOpenAI

model = ChatOpenAI(model="MODEL", base_url="ECHOMIND_ADDRESS/v1", api_key="API_KEY")
print(model.invoke("How do I make a backup?").content)
