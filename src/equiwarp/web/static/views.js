// Which view of a campaign is open: each is a module of its own.
const view = document.getElementById("view");
const modules = { profiler: "profiler", effects: "effects", residuals: "residuals", parallel: "parallel" };
const name = modules[view?.dataset.view];
if (name && view.querySelector(".scripted")) import(`./${name}.js`).then((module) => module[name](view.dataset.campaign));
