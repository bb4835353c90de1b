/** Colours of the picture: every text has a contrast of at least 4.5 to its ground, every border of 3. */
export const STYLE = `
text{font:13px system-ui,sans-serif;fill:#1f2328}
.side{font-size:20px;font-weight:600}
.name{font-weight:600}
.type,.note{font-size:11px;fill:#57606a}
.field{font-size:11px}
.mark{font-weight:700;text-anchor:middle}
.ground{fill:#fff}
.box{fill:#f6f8fa;stroke:#6e7781;stroke-width:1.5}
.edge{fill:none;stroke:#6e7781;stroke-width:1.5}
.added .box,.edge.added{stroke:#1a7f37;stroke-width:2.5}
.added .name,.mark.added{fill:#116329}
.removed .box,.edge.removed{stroke:#cf222e;stroke-width:2.5;stroke-dasharray:8 4}
.removed .name,.mark.removed{fill:#a40e26}
.changed .box{stroke:#9a6700;stroke-width:2.5;stroke-dasharray:2 3}
.changed .name{fill:#7d4e00}
@media (prefers-color-scheme:dark){
text{fill:#e6edf3}
.type,.note{fill:#9da7b1}
.ground{fill:#0d1117}
.box{fill:#161b22;stroke:#8b949e}
.edge{stroke:#8b949e}
.added .box,.edge.added{stroke:#3fb950}
.added .name,.mark.added{fill:#56d364}
.removed .box,.edge.removed{stroke:#f85149}
.removed .name,.mark.removed{fill:#ff7b72}
.changed .box{stroke:#d29922}
.changed .name{fill:#e3b341}
}`
