(** From laws of whole transcripts to one-round kernels; and thm:DP-comp for mechanisms given by their laws. *)
From Coq Require Import QArith List Lqa Lia FinFun.
From Dpcert Require Import Sums Games Chains PairedSimulation Tensor Certificates Envelope BackwardInduction.
Import ListNotations.
Open Scope Q_scope.

Section Kernels.
Context (G : game).
Hypothesis likelihood_nonneg : forall w v, 0 <= likelihood G w v.
Hypothesis likelihood_causal : forall w v m os o, step G v m = Some os -> In o os ->
    likelihood G w (snd o) <= likelihood G w v.

(** The conditional probabilities of the next round (0 where the past has probability 0). *)
Definition kernels_of : kernels := {|
  kernel_position := position G; kernel_move := move G; kernel_visible := visible G;
  kernel_step := fun v m => option_map (map (fun o : visible G * position G =>
    (fst o, (likelihood G 0 (snd o) / likelihood G 0 v, likelihood G 1 (snd o) / likelihood G 1 v), snd o)))
        (step G v m) |}.

Lemma kernels_of_sound : sound_kernels kernels_of.
Proof.
  intros v m os o H I. simpl in H. destruct (step G v m) as [l|]; [|discriminate]. injection H as <-.
  apply in_map_iff in I as [u [<- _]]. simpl.
  split; apply Qmult_le_0_compat; trivial; apply Qinv_le_0_compat; trivial.
Qed.

Lemma chain_rule w v m os o (p : Q) : step G v m = Some os -> In o os -> p == likelihood G w v ->
  p * (likelihood G w (snd o) / likelihood G w v) == likelihood G w (snd o).
Proof.
  intros H I ->. pose proof (likelihood_causal w v m os o H I). pose proof (likelihood_nonneg w (snd o)).
  destruct (Qeq_dec (likelihood G w v) 0) as [Z|Nz]; [|now field].
  rewrite Z in *. assert (likelihood G w (snd o) == 0) by lra. lra.
Qed.

(** The two games have the same adversaries, and these see the same in both. *)
Definition same (A : adversary (of_kernels kernels_of)) : adversary G :=
  Build_adversary G (coin A) (draw A) (act A) (draw_nonneg A) (draw_total A).

Lemma same_total A (phi : view A -> Q) w : (w <= 1)%nat -> forall n v p0 p1 h,
  p0 == likelihood G 0 v -> p1 == likelihood G 1 v ->
  total A (fun k u => phi k * likelihood (of_kernels kernels_of) w u) n (v, (p0, p1)) h ==
  total (same A) (fun k u => phi k * likelihood G w u) n v h.
Proof.
  intros Hw.
  assert (forall v p0 p1, p0 == likelihood G 0 v -> p1 == likelihood G 1 v ->
    likelihood (of_kernels kernels_of) w (v, (p0, p1)) == likelihood G w v) as L.
  { intros v p0 p1 E0 E1. destruct w as [|[|w]]; simpl; trivial. lia. }
  induction n as [|n IH]; intros v p0 p1 h E0 E1.
  - now rewrite !total_0, L.
  - rewrite (total_S A), (total_S (same A)). apply sum_ext. intros [q c] _. apply Qmult_comp; [reflexivity|].
    cbn [fst snd same act]. destruct (act A h c) as [m|]; cbn [reply]; [|now rewrite L].
    cbn [step of_kernels kernels_of kernel_step fst snd]. destruct (step G v m) as [os|] eqn:H; cbn [option_map];
        [|now rewrite L].
    rewrite !sum_map. apply sum_ext. intros [y u] Io. cbn [fst snd].
    apply IH; now apply (chain_rule _ v m os (y, u)).
Qed.

Lemma same_probability A (phi : view A -> Q) w n v : (w <= 1)%nat -> likelihood G 0 v == 1 -> likelihood G 1 v == 1 ->
  probability A n (start (K := kernels_of) v) phi w == probability (same A) n v phi w.
Proof. intros Hw E0 E1. apply same_total; trivial; now symmetry. Qed.
End Kernels.

(** Two interactive mechanisms that read one input stream. *)
Definition twin {I O : Type} (outputs : list O) (legal : list I -> bool) (L : nat -> mechanism I O) : game := {|
  position := list I * list O; move := I; visible := O;
  step := fun v i => if legal (i :: fst v)
    then Some (map (fun o => (o, (i :: fst v, o :: snd v))) outputs) else None;
  likelihood := fun w v => L w (fst v) (snd v) |}.

(** Probabilities of transcripts: non-negative, not growing, 1 at the start. *)
Definition causal {I O : Type} (M : mechanism I O) : Prop :=
  (forall xs ys, 0 <= M xs ys) /\ (forall i xs o ys, M (i :: xs) (o :: ys) <= M xs ys) /\ M [] [] == 1.

Section DPcomp.
Context {X V Y W : Type}.
Context (eqV : forall x y : V, {x = y} + {x <> y}) (eqY : forall x y : Y, {x = y} + {x <> y})
        (eqW : forall x y : W, {x = y} + {x <> y}).
Context (inputs : list X) (hiddens : list Y) (seen : list V) (outputs : list W).
Hypothesis inputs_all : forall x, In x inputs.
Hypothesis hiddens_all : forall y, In y hiddens.
Hypothesis seen_once : NoDup seen.
Hypothesis hiddens_once : NoDup hiddens.
Hypothesis outs_once : NoDup outputs.

(** The neighbour-preserving paired simulation of the head: in world w it answers a pair of inputs with what the head
    shows and with a pair of hidden outputs.  The tail reads, in its paired simulation, the pair of hidden outputs. *)
Context (legal : list (X * X) -> bool) (npp : nat -> mechanism (X * X) (V * (Y * Y))).
Context (neighboursY : list Y -> list Y -> bool) (N : mechanism Y W).
Hypothesis npp_causal : forall w, causal (npp w).
Hypothesis N_causal : causal N.

Definition answers : list (V * (Y * Y)) := list_prod seen (list_prod hiddens hiddens).
Definition head_game : game := twin answers legal npp.
Definition tail_game : game := paired outputs neighboursY N.

(** M -> N in either world: the two simulations one after the other, their hidden outputs not shown. *)
Definition pipeline : kernels :=
  composition V (kernels_of tail_game) (position head_game) (X * X) (kernel_step (kernels_of head_game)).

Lemma NoDup_prod {A B : Type} (l : list A) (l' : list B) : NoDup l -> NoDup l' -> NoDup (list_prod l l').
Proof.
  intros H H'. induction H as [|x l Ni _ IH]; simpl; [constructor|].
  assert (NoDup (map (fun y => (x, y)) l')) as M by (apply Injective_map_NoDup; [intros ? ? [=]; auto|exact H']).
  revert M IH. assert (forall p, In p (map (fun y => (x, y)) l') -> ~ In p (list_prod l l')) as D.
  { intros p I J. apply in_map_iff in I as [y [<- _]]. now apply in_prod_iff in J. }
  revert D. generalize (map (fun y => (x, y)) l'). intros k. induction k as [|p k IHk]; simpl; intros D M IH;
      [exact IH|].
  inversion M as [|? ? Np Nk]; subst. constructor.
  - intros J. apply in_app_or in J as [J|J]; [now apply Np|]. now apply (D p (or_introl eq_refl)).
  - apply IHk; auto.
Qed.

(** thm:DP-comp.  If the head's simulation is adaptively at most F (f-NPDP) and the tail's paired simulation is
    adaptively at most R (g-DP), then the pipeline is adaptively at most the tensor product of F and R. *)
Theorem DP_comp (n : nat) (F R : pairs) : nonneg R ->
  (forall (A : adversary head_game) phi, is_test A phi -> forall a b, 0 <= a -> 0 <= b ->
     b * probability A n (([], []) : position head_game) phi 1 -
         a * probability A n (([], []) : position head_game) phi 0 <= hockey_stick F a b) ->
  (forall (A : adversary tail_game) phi, is_test A phi -> forall a b, 0 <= a -> 0 <= b ->
     b * probability A n (init : position tail_game) phi 1 -
         a * probability A n (init : position tail_game) phi 0 <= hockey_stick R a b) ->
  forall (A : adversary (of_kernels pipeline)) phi, is_test A phi -> forall a b, 0 <= a -> 0 <= b ->
  b * probability A n (start (K := pipeline) (([], []), init)) phi 1
  - a * probability A n (start (K := pipeline) (([], []), init)) phi 0 <= hockey_stick (tensor [F; R]) a b.
Proof.
  intros NR HF HR A phi T a b Ha Hb.
  assert (forall w v, 0 <= likelihood head_game w v) as HN by (intros w v; apply npp_causal).
  assert (forall w v, 0 <= likelihood tail_game w v) as TN by (intros w [[x0 x1] ys]; apply N_causal).
  assert (forall w v m os o, step head_game v m = Some os -> In o os ->
      likelihood head_game w (snd o) <= likelihood head_game w v) as HC.
  { intros w v m os o H I. simpl in H. destruct (legal _); [|discriminate]. injection H as <-.
    apply in_map_iff in I as [y [<- _]]. apply npp_causal. }
  assert (forall w v m os o, step tail_game v m = Some os -> In o os ->
      likelihood tail_game w (snd o) <= likelihood tail_game w v) as TC.
  { intros w [[x0 x1] ys] m os o H I. simpl in H. destruct (neighboursY _ _); [|discriminate]. injection H as <-.
    apply in_map_iff in I as [y [<- _]]. simpl. destruct w; apply N_causal. }
  refine (composition_tensor V (kernels_of tail_game) (position head_game) (X * X) (kernel_step (kernels_of head_game))
    (list_prod inputs inputs) (list_prod hiddens hiddens) _ eqW _ _
    (kernels_of_sound head_game HN) (kernels_of_sound tail_game TN) _ _ n ([], []) init F R NR _ _ A phi T a b Ha Hb).
  - intros x y. repeat decide equality.
  - intros []. apply in_prod; auto.
  - intros []. apply in_prod; auto.
  - intros v m os H. simpl in H. destruct (legal _); [|discriminate]. injection H as <-.
    rewrite !map_map. simpl. rewrite map_id. now repeat apply NoDup_prod.
  - intros [[x0 x1] ys] m os H. simpl in H. destruct (neighboursY _ _); [|discriminate]. injection H as <-.
    rewrite !map_map. simpl. rewrite map_id. exact outs_once.
  - intros B psi Tb c d Hc Hd. rewrite !(same_probability head_game HN HC B psi) by (auto; apply npp_causal).
    now apply HF.
  - intros B psi Tb c d Hc Hd. rewrite !(same_probability tail_game TN TC B psi) by (auto; apply N_causal).
    now apply HR.
Qed.
End DPcomp.
