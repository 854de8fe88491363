// Names and kinds of states, and small parts of pages: what all pages with explanations share.

const SIDES = ["reference", "hypothesis"];

const KINDS = [
  { kind: "word", label: "same word" },
  { kind: "punct", label: "same punctuation mark" },
  { kind: "loose", label: "other match" },
  { kind: "delete", label: "missing word" },
  { kind: "insert", label: "extra word" },
  { kind: "jump", label: "change of word order, numbered" },
];

// A state split by word class, such as Insert:function, has the kind of the unsplit state.
function baseOf(state) {
  return state.split(":")[0];
}

function kindOf(state) {
  const known = { S_word: "word", S_punct: "punct", Delete: "delete", Insert: "insert", Jump: "jump" };
  return known[baseOf(state)] || "loose";
}

// In plain words, which the data bring.
function nameOf(state) {
  return data.labels[state];
}

function percent(probability) {
  if (probability > 0 && probability < 0.0005) return "<0.1 %";
  const text = (100 * probability).toFixed(probability < 0.0995 || probability > 0.9995 ? 1 : 0);
  return `${text.replace(/\.0$/, "")} %`;
}

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children);
  return made;
}

// Numbers for people, with a true minus; each page says what `decimals` are.
function number(value, digits = decimals) {
  if (!Number.isFinite(value)) return "–";
  const text = value.toFixed(digits);
  return Number(text) === 0 ? (0).toFixed(digits) : text.replace("-", "−");
}

function signed(value, digits = decimals) {
  if (!Number.isFinite(value)) return "–";
  const text = number(value, digits);
  return text.startsWith("−") || Number(text) === 0 ? text : `+${text}`;
}
