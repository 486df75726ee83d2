// An editor that is a textarea: Tab indents, Shift+Tab takes it back, Enter keeps the indentation.
// After Escape, Tab moves on as everywhere else, so that nobody is caught inside with the keyboard.
(() => {
  "use strict";
  const editor = document.querySelector("textarea.editor");
  if (!editor) return;
  const indent = "    ";
  let leaving = false;

  // the browser's own way of typing, which can be undone
  const type = (text) => {
    if (!document.execCommand("insertText", false, text)) {
      editor.setRangeText(text, editor.selectionStart, editor.selectionEnd, "end");
    }
  };

  const lineStart = (at) => editor.value.lastIndexOf("\n", at - 1) + 1;

  const shift = (back) => {
    const from = lineStart(editor.selectionStart);
    const to = editor.selectionEnd;
    const lines = editor.value.slice(from, to).split("\n");
    const moved = lines.map((line) => (back ? line.replace(/^ {1,4}/, "") : line && indent + line)).join("\n");
    editor.setSelectionRange(from, to);
    if (moved) type(moved);
    editor.setSelectionRange(from, from + moved.length);
  };

  editor.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.isComposing) return;
    if (event.key === "Escape") {
      leaving = true;
      return;
    }
    if (event.key === "Tab" && !leaving) {
      event.preventDefault();
      const several = editor.value.slice(editor.selectionStart, editor.selectionEnd).includes("\n");
      if (event.shiftKey || several) shift(event.shiftKey);
      else type(indent.slice((editor.selectionStart - lineStart(editor.selectionStart)) % indent.length));
    } else if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      const before = editor.value.slice(lineStart(editor.selectionStart), editor.selectionStart);
      type("\n" + before.match(/^ */)[0] + (before.trimEnd().endsWith(":") ? indent : ""));
    }
    if (event.key !== "Shift") leaving = false;
  });
})();
