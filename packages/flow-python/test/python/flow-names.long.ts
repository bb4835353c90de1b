import { expect, test } from 'vitest'
import { flowNames } from '../../../flow-engine/src/components/node/flow-names.ts'
import { run, testRunner } from './python-runs.ts'

/** What refuses a component before a run knows the names that the sandbox has, and no others. */
test('FF-60: the table of names agrees with the sandbox, in both directions', async () => {
  const table = [...flowNames].map(([path, names]) => [
    path,
    [...names].filter((name) => name !== ''),
  ])
  const body = `import importlib, json
missing, unknown = [], []
table = json.loads(r'''${JSON.stringify(table)}''')
for root in ("langflow", "lfx"):
    for path, names in table:
        name = root if path == "." else f"{root}.{path}"
        try:
            module = importlib.import_module(name)
        except ImportError:
            missing.append(name)
            continue
        missing += [f"{name}.{one}" for one in names if not hasattr(module, one)]
        unknown += [f"{name}.{one}" for one in vars(module) if not one.startswith("_") and one not in names
                    and type(vars(module)[one]).__name__ != "module"]
return [sorted(missing), sorted(unknown)]`
  expect(await run(testRunner(), body)).toEqual([[], []])
})
