"""Plain SGD over a stream of minibatches, from any update to any other, bit for bit repeatable."""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.optim.sgd import sgd

from hysteresis.data.images import LabelledImages
from hysteresis.data.streams import MinibatchStream
from hysteresis.errors import UserError
from hysteresis.jobs.run import NetworkSettings, OptimizerSettings
from hysteresis.training.network import network_with
from hysteresis.training.progress import ProgressLog

# How many losses stay on the device before they are looked at: on a GPU each look waits for it.
_UPDATES_BETWEEN_CHECKS = 50


@dataclass
class Learner:
    """A network, its optimizer's settings and momentum: the state of training but for the place
    in the stream.

    Updates are torch.optim.SGD's, through its functional form: constructing the class would first
    import PyTorch's compiler, over a second in every job.
    """

    network: nn.Module
    settings: OptimizerSettings
    device: torch.device
    _momentum: list[Tensor | None]

    @classmethod
    def resumed(
        cls,
        network: NetworkSettings,
        optimizer: OptimizerSettings,
        weights: dict[str, Tensor],
        momentum: dict[str, Tensor],
        device: torch.device,
    ) -> "Learner":
        """A learner with the given weights and momentum buffers (an empty dict: none yet)."""
        model = network_with(network, weights).to(device).train()
        buffers = [
            momentum[name].to(device, copy=True) if name in momentum else None
            for name, _ in model.named_parameters()
        ]
        return cls(model, optimizer, device, buffers)

    def weights(self) -> dict[str, Tensor]:
        """Copies of the parameters on the CPU."""
        return {
            name: parameter.detach().cpu().clone()
            for name, parameter in self.network.named_parameters()
        }

    def momentum(self) -> dict[str, Tensor]:
        """Copies of the momentum buffers on the CPU; empty before the first update."""
        named = zip(self.network.named_parameters(), self._momentum, strict=True)
        return {name: buffer.cpu().clone() for (name, _), buffer in named if buffer is not None}

    def learn(
        self, data: LabelledImages, stream: MinibatchStream, start: int, stop: int, where: str
    ) -> None:
        """Make the updates ``start`` up to ``stop`` of the stream over ``data``.

        ``where`` names run and phase in the log and in the UserError that a non-finite loss or
        weight raises, together with the first such update and its pass over the images.
        """
        if not self._is_finite():
            raise UserError(f"{where}: the weights to begin from are not finite; build them again")
        images, labels = data.images.to(self.device), data.labels.to(self.device)
        losses = torch.zeros(stop - start, device=self.device)
        progress = ProgressLog(where, total=stop - start)
        checked = 0
        for done, batch in enumerate(stream.minibatches(start, stop), start=1):
            batch = batch.to(self.device)
            losses[done - 1] = self.update(images.index_select(0, batch), labels[batch])
            if done - checked == _UPDATES_BETWEEN_CHECKS or done == stop - start:
                _require_finite(losses[checked:done], start + checked, stream, where)
                checked = done
                if progress.is_due() or done == stop - start:
                    progress.report(done, losses[done - 1].item())
        if not self._is_finite():
            raise UserError(_not_finite(stop, stream, where))

    def _is_finite(self) -> bool:
        return all(bool(torch.isfinite(weight).all()) for weight in self.network.parameters())

    def update(self, images: Tensor, labels: Tensor) -> Tensor:
        """One update on a minibatch that lies on the device; returns its loss before the update."""
        parameters = list(self.network.parameters())
        loss = F.cross_entropy(self.network(images), labels)
        gradients = torch.autograd.grad(loss, parameters)
        with torch.no_grad():
            sgd(
                parameters,
                gradients,
                self._momentum,
                foreach=self.device.type == "cuda",
                lr=self.settings.learning_rate,
                momentum=self.settings.momentum,
                weight_decay=self.settings.weight_decay,
                dampening=0.0,
                nesterov=False,
                maximize=False,
            )
        return loss.detach()


def _require_finite(losses: Tensor, start: int, stream: MinibatchStream, where: str) -> None:
    finite = torch.isfinite(losses)
    if not finite.all():
        first = int(torch.nonzero(~finite)[0]) + 1
        raise UserError(_not_finite(start + first, stream, where))


def _not_finite(update: int, stream: MinibatchStream, where: str) -> str:
    epoch = -(-update // stream.updates_per_pass)
    return (
        f"{where}: training became non-finite at update {update} (epoch {epoch}); the run is not "
        "compared: lower the condition's learning_rate, or take this seed out of its experiments"
    )
