/** Length of a text that is written, in characters and bytes. */
export const textLength = 200;

const filler = ' the quick brown fox jumps over the lazy dog and writes what was found into the plan'.repeat(3);
const mark = Buffer.from('@@');
const digits = 13;
const zero = 0x30;

/** @param {string} start */
export function fillerText(start) {
  return (start + filler).slice(0, textLength);
}

/** Microseconds of the load generator's clock, which is the one that measures deliveries too. */
export function nowMicros() {
  return Math.round(performance.now() * 1000);
}

/**
 * A text that says when it was sent, so that a delivery is measured without parsing its frame.
 * @param {number} sentMicros
 * @param {number} writer
 * @param {number} sequence
 */
export function stampedText(sentMicros, writer, sequence) {
  return fillerText(`@@${String(sentMicros).padStart(digits, '0')} writer ${writer} write ${sequence}`);
}

/**
 * When each stamped text in the frame was sent.
 * @param {Buffer} frame
 * @param {(sentMicros: number) => void} onStamp
 */
export function eachStamp(frame, onStamp) {
  for (let at = frame.indexOf(mark); at >= 0; at = frame.indexOf(mark, at + textLength - mark.length)) {
    at += mark.length;
    let micros = 0;
    for (let index = 0; index < digits; index += 1) micros = micros * 10 + Number(frame[at + index]) - zero;
    onStamp(micros);
  }
}
