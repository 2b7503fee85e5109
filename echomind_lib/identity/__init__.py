"""OpenID providers: sign-in, tokens, and what a provider says about a person."""
