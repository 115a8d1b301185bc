package secrets

// documentedExamples has values from public documentation. A key is the start of the sha256 of a value
// without its prefix.
var documentedExamples = map[string]string{
	"7e498f91828a": "GitHub: about authentication, all kinds of tokens",
	"8c029ad8efa1": "GitHub: about authentication, all kinds of tokens",
	"153a18258645": "Stripe: API keys in the documentation's samples",
	"74e11884b07b": "Stripe: API keys in the documentation's samples",
	"c1c45784935e": "Stripe: API keys in the documentation's samples",
	"3e6a54ba6700": "Stripe: API keys in the documentation's samples",
	"f6d8a1299420": "Stripe: API keys in the documentation's samples",
	"e0d7d24906a4": "Stripe: API keys in the documentation's samples",
	"f68eba715d16": "SendGrid: API keys",
	"ed967197261c": "Azurite and the Cosmos DB emulator: keys of everybody's local account",
	"eaa6a9190faf": "Azurite and the Cosmos DB emulator: keys of everybody's local account",
	"0b5dd075ccdd": "Telegram: Bot API, and its tutorial",
	"97663138e666": "Telegram: Bot API, and its tutorial",
	"02f7ce3c263f": "Discord: reference, bot token",
	"1b0eadd3a633": "Google: Maps and API key samples",
	"051d093c4bde": "jwt.io: signatures of its examples",
	"08831f80b564": "jwt.io: signatures of its examples",
	"13d31e961a1a": "RFC 7515 and 7519: signatures of their examples",
	"b7c9c3b56f40": "Google: Maps and API key samples",
	"0011cc25eb43": "Azurite and the Cosmos DB emulator: keys of everybody's local account",
	"aa6547439583": "Azurite and the Cosmos DB emulator: keys of everybody's local account",
}
