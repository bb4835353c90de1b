"""Tables on edges, based on the light pandas replacement."""

from pandas import DataFrame as _Frame

from _flow.schema import Data, Message


class DataFrame(_Frame):
    """Rows on an edge."""

    def __init__(self, data=None, text_key="text", default_value="", columns=None, index=None, **_more):
        if isinstance(data, list) and any(isinstance(item, Data) for item in data):
            if not all(isinstance(item, Data) for item in data):
                raise ValueError("List items must be either all Data objects or all dictionaries")
            data = [item.to_data().data if isinstance(item, Message) else item.data for item in data]
        super().__init__(data, columns=columns, index=index)
        self.__dict__.update(text_key=text_key, default_value=default_value)

    def to_data_list(self):
        return [Data(data=row) for row in self.to_dict(orient="records")]

    def to_data(self):
        return Data(data={"results": self.to_dict(orient="records")})

    def to_message(self):
        return Message(text=self.to_markdown(index=False))

    def add_row(self, row):
        row = row.data if isinstance(row, Data) else row
        return DataFrame([*self.to_dict(orient="records"), row])

    def add_rows(self, rows):
        rows = [row.data if isinstance(row, Data) else row for row in rows]
        return DataFrame([*self.to_dict(orient="records"), *rows])
