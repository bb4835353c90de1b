import string


class PromptTemplate:
    """Text with named placeholders."""

    def __init__(self, template="", input_variables=None, **_more):
        self.template = template
        names = [name for _, name, _, _ in string.Formatter().parse(template) if name]
        self.input_variables = input_variables or sorted(set(names))

    @classmethod
    def from_template(cls, template, **_more):
        return cls(template)

    def format(self, **values):
        return self.template.format(**values)

    def invoke(self, values, *_args):
        return self.format(**values)
