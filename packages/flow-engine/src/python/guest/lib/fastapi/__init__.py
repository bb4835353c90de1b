"""The one name of FastAPI that components use: `fastapi.encoders.jsonable_encoder`."""
