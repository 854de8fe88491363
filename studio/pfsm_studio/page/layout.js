// The places of words. Both sentences are broken into bands of one reference row and one hypothesis row, like staves
// of a score, so that lines stay short at any width. Aligned words that do not cross stand one above the other.

const WORD_GAP = 6;
const ROW_HEIGHT = 30;
const LINE_SPACE = 30;
const BAND_SPACE = 30;
const BAND_HEIGHT = 2 * ROW_HEIGHT + LINE_SPACE + BAND_SPACE;

const RTL = /^[^A-Za-z\u00c0-\u02b8\u0370-\u058f\u0900-\u1fff\u3040-\ud7ff]*[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

function isRightToLeft(tokens) {
  return RTL.test(tokens.join(" "));
}

const widths = new Map();
const pen = document.createElement("canvas").getContext("2d");
pen.font = `15px ${getComputedStyle(document.body).fontFamily}`;

// Width of a word's box. Measured once per word on a canvas, which needs no layout of the document.
function wordWidth(word) {
  let width = widths.get(word);
  if (width === undefined) {
    width = Math.ceil(pen.measureText(word).width) + 15;
    widths.set(word, width);
  }
  return width;
}

// The longest chain of pairs (i, j) that increases on both sides.
function longestChain(pairs) {
  const sorted = [...pairs].sort((a, b) => a[0] - b[0] || b[1] - a[1]);
  const tails = [];
  const before = new Array(sorted.length).fill(-1);
  sorted.forEach(([, j], k) => {
    let low = 0;
    let high = tails.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sorted[tails[middle]][1] < j) low = middle + 1;
      else high = middle;
    }
    if (low > 0) before[k] = tails[low - 1];
    tails[low] = k;
  });
  const chain = [];
  for (let k = tails.length ? tails[tails.length - 1] : -1; k >= 0; k = before[k]) chain.push(sorted[k]);
  return chain.reverse();
}

class Bands {
  constructor(rowWidths, available) {
    this.rowWidths = rowWidths.map((row) => row.map((width) => Math.min(width, available)));
    this.available = available;
    this.places = rowWidths.map(() => []);
    this.cursors = [0, 0];
    this.band = 0;
  }

  startBand() {
    this.band += 1;
    this.cursors = [0, 0];
  }

  put(row, k, x) {
    this.places[row][k] = { x, y: 0, width: this.rowWidths[row][k], band: this.band };
  }

  // Words without a partner in the other row: the two rows advance independently.
  run(next, ends) {
    while (next[0] < ends[0] || next[1] < ends[1]) {
      for (const row of [0, 1]) {
        while (next[row] < ends[row]) {
          const width = this.rowWidths[row][next[row]];
          if (this.cursors[row] > 0 && this.cursors[row] + width > this.available) break;
          this.put(row, next[row], this.cursors[row]);
          this.cursors[row] += width + WORD_GAP;
          next[row] += 1;
        }
      }
      if (next[0] < ends[0] || next[1] < ends[1]) this.startBand();
    }
  }

  // Two aligned words, one above the other.
  pair(i, j) {
    const [above, below] = [this.rowWidths[0][i], this.rowWidths[1][j]];
    const width = Math.max(above, below);
    let x = Math.max(...this.cursors);
    if (x > 0 && x + width > this.available) {
      this.startBand();
      x = 0;
    }
    this.put(0, i, x + (width - above) / 2);
    this.put(1, j, x + (width - below) / 2);
    this.cursors = [x + width + WORD_GAP, x + width + WORD_GAP];
  }
}

// Tops of the rows of every band, [reference, hypothesis]; a row without words takes no room and has no top.
function stack(places, count) {
  const filled = Array.from({ length: count }, () => [false, false]);
  places.forEach((row, side) => row.forEach(({ band }) => { filled[band][side] = true; }));
  let y = 0;
  return filled.map(([above, below]) => {
    // A sentence without words still has its row, so that the page can say so.
    const rows = [above || !places[0].length, below || !places[1].length];
    const tops = [rows[0] ? y : null, rows[1] ? y + (rows[0] ? ROW_HEIGHT + LINE_SPACE : 0) : null];
    y += rows[0] && rows[1] ? BAND_HEIGHT : ROW_HEIGHT + BAND_SPACE;
    return tops;
  });
}

// Places of all words: { places: [reference, hypothesis], tops, height }, each place { x, y, width, band }.
function layOut(reference, hypothesis, pairs, available) {
  const bands = new Bands([reference.map(wordWidth), hypothesis.map(wordWidth)], available);
  const next = [0, 0];
  for (const [i, j] of longestChain(pairs)) {
    bands.run(next, [i, j]);
    bands.pair(i, j);
    next[0] = i + 1;
    next[1] = j + 1;
  }
  bands.run(next, [reference.length, hypothesis.length]);
  const tops = stack(bands.places, bands.band + 1);
  bands.places.forEach((row, side) => row.forEach((place) => { place.y = tops[place.band][side]; }));
  return { places: bands.places, tops, height: Math.max(...tops[tops.length - 1]) + ROW_HEIGHT };
}
