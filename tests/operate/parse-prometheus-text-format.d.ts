declare module 'parse-prometheus-text-format' {
  /** The families of a text in the format of Prometheus; a counter keeps its whole name. */
  export default function parsePrometheusTextFormat(text: string): {
    readonly name: string
    readonly type: string
    readonly metrics: readonly {
      readonly labels?: Readonly<Record<string, string>>
      readonly value: string
    }[]
  }[]
}
