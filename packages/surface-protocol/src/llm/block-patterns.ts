export const between = /[{\uff5b"'`\u201c\u201e&</#]/g
/** What may stand between bare messages. */
export const bareGap =
  /(?:[\s,[\];\uff0c\uff3b\uff3d\u200b-\u200d\u2060]|\/\*[^]{0,500}?\*\/|<!--[^]{0,500}?-->)*/y
export const commentBegun = /\/(?:\*|$)|<(?:!|$)/y
export const encodedAhead = /["'`\u201c]\s*(?:\\[nrt]\s*)*(?:[[{]|\\+")/y
export const entityAhead = /[{[]\s*(?:[{[]\s*)?&(?:quot|#34|#x22);/iy
