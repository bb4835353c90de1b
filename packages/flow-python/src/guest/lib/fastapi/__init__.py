"""The only FastAPI function that components use: `fastapi.encoders.jsonable_encoder`."""
