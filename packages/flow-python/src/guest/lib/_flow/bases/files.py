"""The base class of components that read files."""

import json
import pathlib
import shutil
import tempfile

from _flow.component import Component
from _flow.inputs import BoolInput, FileInput, HandleInput, Output, StrInput
from _flow.schema import Data, Message
from _flow.table import DataFrame

_BUNDLES = ["zip", "tar", "tgz", "bz2", "gz"]
_FORMATS = {"zip": "zip", "tar": "tar", "tgz": "gztar", "gz": "gztar", "bz2": "bztar"}


class BaseFileComponent(Component):
    """A component that reads files, of which `process_files` gets those of its kinds."""

    class BaseFile:
        """A file and what is known of it."""

        def __init__(self, data, path, *, delete_after_processing=False, silent_errors=False):
            self._silent_errors = silent_errors
            self._data = []
            self.data = data
            self.path = pathlib.Path(path)
            self.delete_after_processing = delete_after_processing

        @property
        def data(self):
            return self._data or []

        @data.setter
        def data(self, value):
            items = value if isinstance(value, list) else [value]
            if all(isinstance(one, Data) for one in items):
                self._data = items
            elif not self._silent_errors:
                raise ValueError(f"data must be a Data object or a list of Data objects. Got: {type(value)}")

        def merge_data(self, new_data):
            """Return each data object with the keys of each new one."""
            if new_data is None:
                return self.data
            items = new_data if isinstance(new_data, list) else [new_data]
            if not all(isinstance(one, Data) for one in items):
                if self._silent_errors:
                    return self.data
                raise ValueError("new_data must be a Data object, a list of Data objects, or None.")
            return [Data(data={**one.data, **more.data}) for one in self.data for more in items]

    VALID_EXTENSIONS = []
    IGNORE_STARTS_WITH = [".", "__MACOSX"]
    SERVER_FILE_PATH_FIELDNAME = "file_path"
    SUPPORTED_BUNDLE_EXTENSIONS = _BUNDLES
    _base_inputs = inputs = [
        FileInput(name="path", display_name="Files", fileTypes=[], is_list=True, value=[], tool_mode=True),
        HandleInput(name="file_path", display_name="Server File Path", input_types=["Data", "Message"], is_list=True,
                    advanced=True, info="Paths of files in Data or a Message, in place of Files."),
        StrInput(name="separator", display_name="Separator", value="\n\n", advanced=True, info="Between the texts of several files."),
        BoolInput(name="silent_errors", display_name="Silent Errors", advanced=True, info="Go on after an error."),
        BoolInput(name="delete_server_file_after_processing", display_name="Delete Server File After Processing",
                  advanced=True, value=True),
        BoolInput(name="ignore_unsupported_extensions", display_name="Ignore Unsupported Extensions", advanced=True,
                  value=True, info="Leave out files of other kinds."),
        BoolInput(name="ignore_unspecified_files", display_name="Ignore Unspecified Files", advanced=True, value=False),
    ]
    _base_outputs = outputs = [Output(name="dataframe", display_name="Files", method="load_files")]

    def process_files(self, file_list):
        raise NotImplementedError("Implement process_files")

    @property
    def valid_extensions(self):
        return self.VALID_EXTENSIONS

    @property
    def ignore_starts_with(self):
        return self.IGNORE_STARTS_WITH

    def load_files_base(self) -> list[Data]:
        return [one for file in self.process_files(self._wanted_files()) for one in file.data]

    def load_files_core(self) -> list[Data]:
        return self.load_files_base() or [Data()]

    def load_files(self) -> DataFrame:
        made = DataFrame([dict(one.data) for one in self.load_files_core()])
        self.status = made
        return made

    def load_files_message(self) -> Message:
        found = self.load_files_core()
        texts = [_text_of(one) for one in found]
        return Message(text=(getattr(self, "separator", None) or "\n\n").join(text for text in texts if text))

    def load_files_path(self) -> Message:
        return Message(text="\n".join(file.path.as_posix() for file in self._named_files() if file.path.exists()))

    def load_files_json(self) -> Data:
        first = self.load_files_core()[0]
        text = first.data.get(first.text_key)
        made = Data(data=json.loads(text) if isinstance(text, str) else text)
        self.status = made
        return made

    def rollup_data(self, base_files, data_list, path_field=SERVER_FILE_PATH_FIELDNAME):
        """Give each file the data objects that name its path, in the order of the files."""
        found = {}
        for one in data_list:
            if one is None:
                continue
            key = one.data.get(path_field)
            if key is None:
                self._fail(f"Data object missing required field '{path_field}': {one}")
            else:
                found.setdefault(key, []).append(one)
        return [
            BaseFileComponent.BaseFile(file.merge_data(found.get(str(file.path), [])), file.path,
                                       delete_after_processing=file.delete_after_processing)
            for file in base_files
        ]

    def _fail(self, text):
        self.log(text)
        if not getattr(self, "silent_errors", False):
            raise ValueError(text)

    def _named_files(self):
        given = getattr(self, "file_path", None) or []
        made = []
        for one in given if isinstance(given, list) else [given]:
            one = Data(data={self.SERVER_FILE_PATH_FIELDNAME: one.text}) if isinstance(one, Message) else one
            path = one.data.get(self.SERVER_FILE_PATH_FIELDNAME) if isinstance(one, Data) else None
            if path:
                made.append((one, path))
            elif not getattr(self, "ignore_unspecified_files", False):
                self._fail(f"Data object missing '{self.SERVER_FILE_PATH_FIELDNAME}' property.")
        if not given:
            paths = getattr(self, "path", None) or []
            for path in paths if isinstance(paths, list) else [paths]:
                made.append((Data(data={self.SERVER_FILE_PATH_FIELDNAME: str(path)}), path))
        files = []
        for data, path in made:
            file = BaseFileComponent.BaseFile(data, self.resolve_path(path))
            if file.path.exists():
                files.append(file)
            else:
                self._fail(f"File not found: '{path}' (resolved to: '{file.path}'). Please upload the file again.")
        return files

    def _wanted_files(self):
        """Open folders and archives, and keep the files whose kind is read."""
        waiting, wanted, ignored = self._named_files(), [], []
        while waiting:
            file = waiting.pop(0)
            kind = file.path.suffix[1:].lower()
            if file.path.is_dir() or kind in self.SUPPORTED_BUNDLE_EXTENSIONS:
                folder = file.path
                if not folder.is_dir():
                    folder = pathlib.Path(tempfile.mkdtemp())
                    shutil.unpack_archive(str(file.path), str(folder), _FORMATS[kind], **({} if kind == "zip" else {"filter": "data"}))
                inner = [one for one in sorted(folder.rglob("*")) if one.is_file() and not self._is_ignored(one.relative_to(folder))]
                waiting[:0] = [BaseFileComponent.BaseFile(file.data, one) for one in inner]
            elif kind in self.valid_extensions:
                wanted.append(file)
            elif getattr(self, "ignore_unsupported_extensions", True):
                ignored.append(file.path.name)
            else:
                self._fail(f"Unsupported file extension: {file.path.suffix}")
        if ignored:
            self.log(f"Ignored files: {ignored}")
        return wanted

    def _is_ignored(self, path):
        return any(part.startswith(prefix) for part in path.parts for prefix in self.ignore_starts_with)


def _text_of(data):
    text = data.get_text()
    if text is not None and text != "":
        return text if isinstance(text, str) else str(text)
    return json.dumps(data.data, indent=2, default=str)
