import { anyName, type Setting, type SettingIndex, variableOf } from './setting-index.ts'

/** A setting by the name of a variable. */
export interface Variable {
  readonly setting: Setting
  readonly key: string
  /** The name in the place of `<name>`, if the setting has one. */
  readonly name?: string
  /** Whether it names a file that holds the value. */
  readonly isFile: boolean
}

/** A setting whose entries have a variable each. */
export interface MapVariable {
  readonly setting: Setting
  readonly key: string
  /** The name of each variable begins with it. */
  readonly prefix: string
}

/** The `SVC_` variables of a schema. */
export class VariableIndex {
  readonly maps: readonly MapVariable[]
  readonly #byName = new Map<string, Variable>()
  /** Settings below a name of the operator's choice, the longest endings first. */
  readonly #named: readonly { setting: Setting; prefix: string; suffix: string }[]

  constructor({ byKey, settings }: SettingIndex) {
    const keys = [...byKey].filter(([key]) => !key.includes(anyName))
    this.maps = keys
      .filter(([, setting]) => setting.isMap)
      .map(([key, setting]) => ({ key, setting, prefix: `${variableOf(key)}_` }))
    for (const [key, setting] of keys.filter(([, setting]) => !setting.isMap)) {
      const name = variableOf(key)
      this.#byName.set(name, { setting, key, isFile: false })
      if (setting.isSecret) this.#byName.set(`${name}_FILE`, { setting, key, isFile: true })
    }
    this.#named = settings
      .flatMap((setting) => {
        const [prefix = '', suffix] = setting.variable?.split('<NAME>') ?? []
        return suffix === undefined ? [] : [{ setting, prefix, suffix }]
      })
      .toSorted((a, b) => b.suffix.length - a.suffix.length)
  }

  get names(): Iterable<string> {
    return this.#byName.keys()
  }

  find(variable: string): Variable | undefined {
    return this.#byName.get(variable) ?? this.#findNamed(variable)
  }

  #findNamed(variable: string): Variable | undefined {
    for (const { setting, prefix, suffix } of this.#named) {
      if (!variable.startsWith(prefix)) continue
      for (const ending of setting.isSecret ? [suffix, `${suffix}_FILE`] : [suffix]) {
        const name = variable.slice(prefix.length, -ending.length).toLowerCase()
        if (!variable.endsWith(ending) || name === '') continue
        return { setting, key: setting.key.replace(anyName, name), name, isFile: ending !== suffix }
      }
    }
    return undefined
  }
}
